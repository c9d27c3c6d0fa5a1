use enum48::{Game, engine, store::Store};
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let max = a[2].parse().ok().filter(|&m: &u32| m > 0);
    let game = Game::new(a[1].parse().unwrap(), max).unwrap();
    let until = a.get(3).and_then(|s| s.parse().ok()).filter(|&u:&u32|u>0);
    let mem: u64 = a.get(4).map_or(4096, |s| s.parse().unwrap());
    let thr: usize = a.get(5).map_or(2, |s| s.parse().unwrap());
    let place = tempfile::tempdir_in("/work").unwrap();
    let mut store = Store::open(place.path(), &game, None).unwrap();
    let plan = engine::Plan::new(mem << 20, thr).unwrap().with_level(a.get(6).map_or(1, |s| s.parse().unwrap()));
    let t = Instant::now();
    engine::count(&game, &mut store, &plan, until, &mut engine::Silent).unwrap();
    let s = t.elapsed().as_secs_f64();
    let tot = store.table().totals();
    let n = tot.live + tot.dead;
    println!("{game} {tot:?} total {} bytes {} bits {:.3} {:.2}s {:.1} ns/state", tot.total(), store.bytes(None), store.bytes(None) as f64 * 8.0 / tot.live as f64, s, s * 1e9 / n as f64);
    let st = std::fs::read_to_string("/proc/self/status").unwrap();
    for l in st.lines().filter(|l| l.starts_with("VmHWM") || l.starts_with("RssAnon")) { println!("{l}"); }
}
