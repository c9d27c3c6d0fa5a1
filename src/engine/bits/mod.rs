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
mod mirror;
mod names;
mod pair;
mod quads;
mod sizes;
mod slab;
mod sweep;
mod turn;

pub(crate) use sizes::Sizes;
