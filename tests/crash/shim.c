/* A library to preload: it intercepts a program's file operations and makes one of them fail.
 *
 * Only operations on files below one directory count. A test can visit every operation at which a
 * disk, a device or a machine can fail. The library defines the C functions that
 * Rust's standard library calls, and makes the system calls itself. The text of an operation is its
 * name and its paths relative to DIR. "#" stands for a file without a name. Threads may reorder
 * operations with different texts, but not operations with the same text.
 *
 *   FAULT_DIR=DIR     only files below DIR count; its name must be absolute and free of links
 *   FAULT_OF=TEXT     the text of the operation to hit
 *   FAULT_AT=N        its number among the operations with this text, from 1
 *   FAULT_MODE=error  the operation fails with EIO; later operations work
 *             =full   from this operation on, operations that take space fail with ENOSPC
 *             =tight  like full, until a file is deleted
 *             =dead   from this operation on, all operations fail with EIO
 *             =kill   the process is killed before the operation
 *             =torn   a write writes half of its bytes; then the process is killed
 *   FAULT_LOG=FILE    append the text of each operation
 *   FAULT_CLOCK=S     the monotonic clock advances by S seconds at each reading, and only then
 *   FAULT_FLOCK=1     no file can be locked
 *   FAULT_SPILL=N     a file without a name fails with errno N
 *
 * A successful sync does nothing, because no process can see its effect. The log shows its order.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* What happens to an operation, and whether it needs space on the disk. */
enum verdict { GO, FAIL, TEAR };
enum space { TAKES, FREE };

static const char *dir, *mode, *of;
static long at;
static int out = -1;
static atomic_long counted, readings;
/* Whether a fault has hit: some modes also affect later operations. */
static atomic_int hit;

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

__attribute__((constructor)) static void begin(void) {
    const char *file = setting("FAULT_LOG");
    dir = setting("FAULT_DIR");
    mode = setting("FAULT_MODE");
    of = setting("FAULT_OF");
    at = atol(setting("FAULT_AT"));
    if (*file)
        out = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static _Noreturn void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;)
        pause();
}

/* The path relative to DIR, "." for DIR itself; NULL for a path outside DIR. */
static const char *inside(const char *path) {
    size_t length = strlen(dir);
    if (length == 0 || strncmp(path, dir, length) != 0)
        return NULL;
    if (path[length] == '/')
        return path + length + 1;
    return path[length] ? NULL : ".";
}

/* The relative path of an open file; PATH is a buffer for it. */
static const char *inside_fd(int fd, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    const char *name = inside(path);
    return name && *name == '#' ? "#" : name;
}

/* Counts an operation on the relative path PATH, and returns what happens to it. */
static enum verdict count(const char *name, enum space space, const char *path, const char *to) {
    if (!path)
        return GO;
    char text[2 * PATH_MAX];
    int length = snprintf(text, sizeof text - 1, "%s %s%s%s", name, path, to ? " " : "", to ? to : "");
    int now = strcmp(text, of) == 0 && atomic_fetch_add(&counted, 1) + 1 == at;
    if (out >= 0) {
        text[length] = '\n';
        syscall(SYS_write, out, text, (size_t)length + 1);
    }
    if (now)
        atomic_store(&hit, 1);
    if (strcmp(mode, "tight") == 0 && strcmp(name, "unlink") == 0)
        atomic_store(&hit, 0);
    if (!atomic_load(&hit))
        return GO;
    if (now && strcmp(mode, "kill") == 0)
        die();
    if (now && strcmp(mode, "torn") == 0)
        return TEAR;
    int full = strcmp(mode, "full") == 0 || strcmp(mode, "tight") == 0;
    errno = full ? ENOSPC : EIO;
    int fails = strcmp(mode, "dead") == 0 || (full && space == TAKES) ||
                (strcmp(mode, "error") == 0 && now);
    return fails ? FAIL : GO;
}

/* The body of each operation that cannot be torn. */
#define COUNTED(name, space, path, to, call)                                                       \
    do {                                                                                           \
        enum verdict verdict = count(name, space, path, to);                                       \
        if (verdict == TEAR)                                                                       \
            die();                                                                                 \
        return verdict == FAIL ? -1 : (call);                                                      \
    } while (0)

/* Whether an open makes a file without a name. O_TMPFILE has more than one bit. */
static int nameless(int flags) {
    return (flags & O_TMPFILE) == O_TMPFILE;
}

static int open_counted(int at_fd, const char *path, int flags, mode_t permissions) {
    int makes = nameless(flags) || (flags & O_CREAT);
    const char *name = nameless(flags) ? "spill" : makes ? "create" : "open";
    if (nameless(flags) && inside(path) && *setting("FAULT_SPILL")) {
        errno = atoi(setting("FAULT_SPILL"));
        return -1;
    }
    COUNTED(name, makes ? TAKES : FREE, inside(path), NULL,
            (int)syscall(SYS_openat, at_fd, path, flags, permissions));
}

/* Only opens that make a file pass permissions. */
#define PERMISSIONS(flags, into)                                                                   \
    mode_t into = 0;                                                                               \
    if (((flags) & O_CREAT) || nameless(flags)) {                                                  \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        into = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }

int open(const char *path, int flags, ...) {
    PERMISSIONS(flags, permissions)
    return open_counted(AT_FDCWD, path, flags, permissions);
}

int open64(const char *path, int flags, ...) {
    PERMISSIONS(flags, permissions)
    return open_counted(AT_FDCWD, path, flags, permissions);
}

int openat(int at_fd, const char *path, int flags, ...) {
    PERMISSIONS(flags, permissions)
    return open_counted(at_fd, path, flags, permissions);
}

int openat64(int at_fd, const char *path, int flags, ...) {
    PERMISSIONS(flags, permissions)
    return open_counted(at_fd, path, flags, permissions);
}

int mkdir(const char *path, mode_t permissions) {
    COUNTED("mkdir", TAKES, inside(path), NULL,
            (int)syscall(SYS_mkdirat, AT_FDCWD, path, permissions));
}

/* A look-up is logged, and can fail, only if it is the operation to hit: most change nothing. */
int statx(int at_fd, const char *path, int flags, unsigned wanted, struct statx *found) {
    const char *counted = strncmp(of, "stat ", 5) == 0 ? inside(path) : NULL;
    COUNTED("stat", FREE, counted, NULL,
            (int)syscall(SYS_statx, at_fd, path, flags, wanted, found));
}

ssize_t read(int fd, void *bytes, size_t length) {
    char path[PATH_MAX];
    COUNTED("read", FREE, inside_fd(fd, path), NULL, syscall(SYS_read, fd, bytes, length));
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t from) {
    char path[PATH_MAX];
    COUNTED("read", FREE, inside_fd(fd, path), NULL,
            syscall(SYS_pread64, fd, bytes, length, from));
}

ssize_t pread(int fd, void *bytes, size_t length, off_t from) {
    return pread64(fd, bytes, length, from);
}

ssize_t write(int fd, const void *bytes, size_t length) {
    char path[PATH_MAX];
    enum verdict verdict = count("write", TAKES, inside_fd(fd, path), NULL);
    if (verdict == FAIL)
        return -1;
    ssize_t written = syscall(SYS_write, fd, bytes, verdict == TEAR ? length / 2 : length);
    if (verdict == TEAR)
        die();
    return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t to) {
    char path[PATH_MAX];
    enum verdict verdict = count("write", TAKES, inside_fd(fd, path), NULL);
    if (verdict == FAIL)
        return -1;
    ssize_t written = syscall(SYS_pwrite64, fd, bytes, verdict == TEAR ? length / 2 : length, to);
    if (verdict == TEAR)
        die();
    return written;
}

/* Writes only the first piece. That is legal: the caller then writes the rest. */
ssize_t writev(int fd, const struct iovec *pieces, int number) {
    return number < 1 ? 0 : write(fd, pieces[0].iov_base, pieces[0].iov_len);
}

int fsync(int fd) {
    char path[PATH_MAX];
    COUNTED("sync", FREE, inside_fd(fd, path), NULL, 0);
}

int fdatasync(int fd) {
    return fsync(fd);
}

int rename(const char *from, const char *to) {
    const char *source = inside(from), *target = inside(to);
    COUNTED("rename", FREE, source, target ? target : to,
            (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int unlinkat(int at_fd, const char *path, int flags) {
    COUNTED("unlink", FREE, inside(path), NULL, (int)syscall(SYS_unlinkat, at_fd, path, flags));
}

int unlink(const char *path) {
    return unlinkat(AT_FDCWD, path, 0);
}

int flock(int fd, int operation) {
    errno = ENOLCK;
    return *setting("FAULT_FLOCK") ? -1 : (int)syscall(SYS_flock, fd, operation);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    const char *step = setting("FAULT_CLOCK");
    if (clock != CLOCK_MONOTONIC || !*step)
        return (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec = 1000 + atol(step) * atomic_fetch_add(&readings, 1);
    now->tv_nsec = 0;
    return 0;
}
