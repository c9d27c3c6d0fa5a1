//! The arguments of commands: numbers, games, resources, objectives.

pub(super) mod game;
pub(super) mod numbers;
pub(super) mod objectives;
pub(super) mod resources;
