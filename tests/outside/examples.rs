//! The examples of the README that need another program.

use crate::command::{good, place};
use crate::readme::{README, TOOLS, examples, shell};

tests! {
    &[Program("dot")] => [graphviz_draws_the_example],
    &[Package("matplotlib")] => [a_script_plots_the_example],
    PYTHON => [processes_count_the_example],
}

/// Runs the only example with a tool, for the smallest game, which makes a file or folder.
fn makes(tool: &str, made: &str) {
    let place = place();
    good(&place, "--size 2 --max 32 --quiet");
    let examples: Vec<String> = examples(README)
        .into_iter()
        .map(|example| example.command)
        .filter(|command| command.contains(tool))
        .collect();
    let [command] = &examples[..] else {
        panic!("{tool}: {examples:?}");
    };
    let output = shell(place.path(), &command.replace("3x3-1024", "2x2-32"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {said}");
    assert!(place.path().join(made).exists());
}

fn graphviz_draws_the_example() {
    makes(TOOLS[0], "2x2-32.svg");
}

fn a_script_plots_the_example() {
    makes(TOOLS[1], "2x2-32.svg");
}

fn processes_count_the_example() {
    makes(TOOLS[2], "shared");
}
