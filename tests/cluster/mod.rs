//! Counting on several machines by the driver: the files of one machine, whatever happens on the way.

#[cfg(unix)]
mod driver;
#[cfg(target_os = "linux")]
mod raylets;
