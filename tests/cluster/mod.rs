//! Counts on several machines make the files that one machine makes, even if processes are killed.

#[cfg(unix)]
mod driver;
#[cfg(target_os = "linux")]
mod raylets;
