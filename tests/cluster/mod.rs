//! Tests of counts on several machines: each makes the files that one machine makes, even if
//! processes are killed on the way.

#[cfg(unix)]
mod driver;
#[cfg(target_os = "linux")]
mod raylets;
