//! A layer as bit matrices.

mod afterstates;
mod begins;
mod census;
mod class;
mod groups;
mod half;
mod halves;
mod kernels;
mod matrix;
mod names;
mod pair;
mod quads;
mod sweep;
