"""More of these scripts: renames, graphs, combined diffs."""

SCRIPTS = {
    "renames": """
        git init -q r; cd r; seq 20 > f; mkdir d; seq 30 40 > d/g; touch empty; git add .; git commit -qm one
        git mv f h; git status; git status -s; git diff --cached; git diff --cached --stat; git commit -m two; git show
        git show --stat --summary; git log --name-status; git log --raw; mkdir -p a/b; git mv d/g a/b/g
        sed -i 's/31/XX/' a/b/g; git add .; git diff --cached -M; git diff --cached --numstat; git status
        git status --porcelain -z | tr '\\0' '%'; git commit -m three; git log --stat
        git log --follow --oneline a/b/g; git log --follow --stat a/b/g; git log --follow -p h; git diff HEAD~2 --stat
        git diff HEAD~2 --summary; git diff --no-renames HEAD~2 --stat; git mv empty full; git commit -m four
        git diff -R --name-status HEAD~1; git blame a/b/g; git diff-tree -r HEAD; git diff-tree -r -M HEAD
        git diff -M100% HEAD~2 --name-status; git diff --diff-filter=R --name-only HEAD~3""",
    "merging what was renamed": """
        git init -q r; cd r; seq 20 > f; seq 5 > k; git add .; git commit -qm one; git checkout -qb x; git mv f h
        git commit -qm ren; git checkout -q main; sed -i 's/^3$/three/' f; git commit -qam mod; git merge x; ls; cat h
        git show --stat; git reset -q --hard HEAD~1; git checkout -q x; git merge main; ls; git reset -q --hard HEAD~1
        sed -i 's/^3$/drei/' h; git commit -qam mod2; git merge main; git status; git diff; cat h; git ls-files -s
        git merge --abort; git checkout -q main; git merge x; cat h; git ls-files -s; git merge --abort; ls
        git checkout -q x~1; git mv h i; git commit -qm other; git branch y; git checkout -q x; git merge y; ls""",
    "renamed twice or deleted": """
        git init -q r; cd r; seq 20 > f; git add .; git commit -qm one; git checkout -qb x; git mv f h
        git commit -qm ren; git checkout -q main; git mv f g; git commit -qm ren2; git merge x; git status; ls
        git ls-files -s; git merge --abort; git checkout -qb y HEAD~1; git rm -q f; git commit -qm del; git merge x
        git status; git ls-files -s; git merge --abort; git checkout -q x; git merge y; git status -s; head -2 h""",
    "graphs": """
        git init -q r; cd r
        c() { echo $1 >> $1; git add .; GIT_COMMITTER_DATE="17000000$2 +0000" git commit -qm $1; }
        c a 01; c b 02; git checkout -qb x; c c 03; c d 04; git checkout -q main; c e 05; git merge -qm m1 x; c f 06
        git checkout -qb y HEAD~2; c g 07; git checkout -q main; git merge -qm m2 y; c h 08; git checkout -qb z HEAD~3
        c i 09; git checkout -q main; git log --graph --oneline; git log --graph --oneline --all
        git log --graph --all --format=%s; git log --graph --pretty=format:%s; echo; git log --graph -3 -p
        git log --graph --all --stat --oneline; git log --graph --oneline -- c e; git log --graph --oneline HEAD~3..
        git log --oneline --topo-order; git log --graph --oneline --no-merges; git log --graph --oneline --grep=e
        for i in 1 2 3; do git checkout -qb b$i main; c b$i 1$i; done; git checkout -q main
        o=$(git commit-tree main^{tree} -p main -p b1 -p b2 -p b3 -m octo); git reset -q --hard $o; c j 20
        git log --graph --oneline --all""",
    "searching the changes": """
        git init -q r; cd r; echo foo > f; git add .; git commit -qm one; echo bar >> f; git commit -qam two
        sed -i /foo/d f; git commit -qam three; git log -S foo --oneline; git log -Sbar --oneline -p
        git log -G 'b.r' --oneline; git log -S nope; git log --follow; git log --follow a b""",
    "combined": """
        git init -q r; cd r; seq 30 > f; echo k > k; git add .; git commit -qm one; git checkout -qb x
        sed -i 's/^3$/three/; s/^20$/zwanzig/' f; echo x > n; git add .; git commit -qm x; git checkout -q main
        sed -i 's/^3$/drei/; s/^28$/acht/' f; rm k; git commit -qam y; git merge x; git diff; git diff --name-only
        git diff --name-status; git diff --name-only --diff-filter=U; git diff --cached --name-status
        git diff HEAD --stat; git checkout --ours f; git diff; git checkout --theirs f; git diff
        sed 's/three/both/' -i f; sed -i 's/^28$/8/' f; git diff; git commit -qam merged; git show; git show --stat
        git show --name-status; git show --name-only; git show --raw; git log -1 -p; git log -1 --cc
        git log -1 --cc --stat""",
}
