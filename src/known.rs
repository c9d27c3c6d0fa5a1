//! Published numbers.
