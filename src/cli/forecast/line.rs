//! A straight line through what was measured.

/// Points that vary in `x` by less than this share of its mean square lie too close together: the
/// smallest error in one of them would turn the line.
const NARROW: f64 = 0.05;

/// A straight line through points, by least squares.
#[derive(Default)]
pub(in crate::cli) struct Line {
    points: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl Line {
    /// One more point.
    pub(in crate::cli) fn add(&mut self, x: f64, y: f64) {
        self.points += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
    }

    /// The height at `x`; none without a point. A line that falls, or begins below nothing, or goes
    /// through points that lie too close together, is replaced by one through nothing.
    pub(in crate::cli) fn at(&self, x: f64) -> Option<f64> {
        let spread = self.points * self.xx - self.x * self.x;
        let slope = (self.points * self.xy - self.x * self.y) / spread;
        let height = (self.y - slope * self.x) / self.points;
        let wide = spread > NARROW * self.points * self.xx;
        if wide && slope >= 0.0 && height >= 0.0 {
            return Some(height + slope * x);
        }
        (self.x > 0.0).then(|| self.y / self.x * x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> Line {
        let mut line = Line::default();
        for &(x, y) in points {
            line.add(x, y);
        }
        line
    }

    #[test]
    fn a_line_goes_through_its_points() {
        let at = line(&[(10.0, 3.0), (20.0, 5.0), (30.0, 7.0)]).at(1000.0);
        assert!((at.unwrap() - 201.0).abs() < 1e-6, "{at:?}");
        assert_eq!(line(&[]).at(5.0), None);
    }

    #[test]
    fn no_line_tells_of_less_than_nothing() {
        for points in [
            &[(10.0, 4.0)][..],
            &[(10.0, 4.0), (10.0, 4.0)],
            &[(5.0, 5.0), (15.0, 3.0)],
            &[(5.0, 1.0), (15.0, 7.0)],
            // They would lie on 3.9 + 0.01 x.
            &[(9.0, 3.99), (11.0, 4.01)],
        ] {
            let at = line(points).at(100.0).unwrap();
            assert!((at - 40.0).abs() < 1e-6, "{points:?}: {at}");
        }
    }
}
