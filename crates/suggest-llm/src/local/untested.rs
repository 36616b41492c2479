//! Source files that changed while no test did.

/// The newest changed source file, if no changed file is a test.
pub(crate) fn newest(touched: &[String]) -> Option<&str> {
    if touched.iter().any(|path| is_test(path)) {
        return None;
    }
    touched.iter().rev().map(String::as_str).find(|path| is_source(path))
}

fn is_test(path: &str) -> bool {
    let lower = path.to_lowercase();
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    if ["Test", "Tests", "Spec", "IT"].iter().any(|mark| stem.ends_with(mark)) {
        return true;
    }
    lower.split(['/', '\\']).any(|part| {
        matches!(part, "test" | "tests" | "__tests__" | "spec" | "specs" | "testing" | "e2e")
            || part.starts_with("test_")
            || ["_test.", ".test.", "_spec.", ".spec.", "_tests."].iter().any(|mark| part.contains(mark))
    })
}

fn is_source(path: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "rs", "py", "ts", "tsx", "js", "jsx", "mjs", "go", "java", "kt", "rb", "c", "cc", "cpp", "h", "hpp",
        "cs", "swift", "php", "scala", "ex", "dart", "zig", "vue", "svelte",
    ];
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| EXTENSIONS.contains(&extension.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_source_file_counts_only_while_no_test_changed() {
        let newest = |paths: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            super::newest(&paths).map(str::to_owned)
        };
        assert_eq!(newest(&["src/a.rs", "src/b.rs", "README.md"]).as_deref(), Some("src/b.rs"));
        for test in [
            "tests/a.rs",
            "src/a.test.ts",
            "pkg/a_test.go",
            "test_a.py",
            "src/FooTest.java",
            "a/__tests__/b.js",
        ] {
            assert_eq!(newest(&["src/a.rs", test]), None, "{test}");
        }
        assert_eq!(newest(&["README.md", "Cargo.toml", "src/latest.rs"]).as_deref(), Some("src/latest.rs"));
        assert_eq!(newest(&["README.md"]), None);
    }
}
