"""Scripts whose output, errors and exit code must be those of the real git."""

SCRIPTS = {
    "first steps": """
        git init -q r; cd r; echo a > f; git status; git add f; git status; git commit -m 'first commit'; git log
        git status; git log --oneline; git show; git rev-parse --show-toplevel --is-inside-work-tree --git-dir""",
    "changes": """
        git init -q r; cd r; seq 30 > f; mkdir d; echo x > d/g; git add .; git commit -qm one
        sed -i 's/^15$/fifteen/' f; echo y >> d/g; git diff; git diff --stat; git diff --numstat; git diff --shortstat
        git diff --name-only; git diff --name-status; git add f; git status; git status -s; git diff; git diff --cached
        git diff HEAD; git diff --quiet; echo $?; git commit -am "two\n\nbody\n\n  more"; git log; git log -p
        git log --stat; git show --stat; git diff HEAD~1 HEAD; git diff HEAD~1..HEAD -- d; git log -- d
        git log --oneline f; git diff -U1 HEAD~1; git diff nope; git diff --exit-code HEAD~1 HEAD > p; echo $?""",
    "deletions": """
        git init -q r; cd r; echo a > f; echo b > g; git add .; git commit -qm one; rm f; git status; git status -s
        git diff; git rm g; git status -s; git add -A; git commit -m two; git ls-files; git log --stat""",
    "modes and links": """
        git init -q r; cd r; echo a > f; ln -s f l; git add .; git commit -m one; chmod +x f; git diff
        git commit -am two; rm l; echo file > l; git diff; git status -s; git add l; git commit -m three
        git ls-files -s
        git checkout -q HEAD~2; readlink l; git status -s; git checkout -q main; cat l; [ -x f ] && echo x""",
    "bytes": """
        git init -q r; cd r; printf 'a\\0b' > f; printf 'a\\r\\nb' > crlf; printf '\\377\\376\\n' > latin; git add .
        git commit -m one; printf 'a\\0c\\0' > f; printf 'a\\r\\nb\\r\\n' > crlf; git diff --stat; git diff crlf
        git diff f; git diff --numstat; git commit -qam two; git show --stat; git checkout -q HEAD~1
        xxd -p crlf; xxd -p latin; xxd -p f""",
    "branches": """
        git init -q r; cd r; echo a > f; git add .; git commit -qm one; git branch x; git branch; git checkout x
        echo b > f; git commit -qam two; git checkout main; cat f; git checkout -b y; git branch -v; git branch -d x
        git branch -D x; git switch main; git switch -c z; git branch -m z zz; git branch --show-current
        git branch -a; git checkout nope; git switch nope; git branch y; git checkout -; git checkout -q HEAD
        git checkout HEAD~0; git status; git branch; git switch main; git rev-parse --abbrev-ref HEAD""",
    "local changes stand in the way": """
        git init -q r; cd r; echo a > f; git add .; git commit -qm one; git checkout -qb x; echo b > f
        git commit -qam two; git checkout -q main; echo c > f; git checkout x; echo $?; git checkout -f x; cat f
        git rm -q f; git commit -qm gone; echo un > f; git checkout main; echo $?; cat f""",
    "restore": """
        git init -q r; cd r; echo a > f; git add .; git commit -qm one; echo b > f; git add f
        git restore --staged f; git status -s; git restore f; cat f; echo c > f; git commit -qam c
        git restore --source HEAD~1 f; cat f; git status -s; git checkout HEAD -- f; git status -s; git restore nope""",
    "reset": """
        git init -q r; cd r; echo a > f; git add .; git commit -qm one; echo b > f; git commit -qam two
        git reset --soft HEAD~1; git status -s; git commit -qm again; echo c > g; git add g; git reset; git status -s
        git add g; git reset g; echo d > f; git reset; git reset --hard; git status -s; cat f
        git reset --hard HEAD~1; cat f; git reset nope""",
    "ignored files": """
        git init -q r; cd r; mkdir -p a/b build src/build; touch a/x.o a/b/y.o a/keep.o build/1 src/build/2 t.log
        touch src/t.log a/b/c.txt; printf '*.o\\n!keep.o\\n/build/\\n*.log\\n' > .gitignore; git status -s
        git status -s -uall; git status --ignored -s; git add a/x.o; echo $?; git add .; git ls-files
        echo 'z*' > a/.gitignore; touch a/zz a/b/zz; git status -s; git check-ignore a/zz t.log src/t.log a/keep.o
        git add -f t.log; git status -s; git ls-files -o --exclude-standard; git ls-files -o; git ls-files -m""",
    "patterns": r"""
        git init -q r; cd r; mkdir -p a/b/c foo/bar x/foo doc/f; touch a/b/c/d a/b/e foo/bar/g
        touch x/foo/h doc/f/a.txt doc/a.txt 'sp ace' '#hash' '!bang' k1 k2 kz 'end '
        printf 'a/**/d\n**/foo/bar\nx/foo/*\ndoc/*.txt\n\\#hash\n\\!bang\nk[0-9]\n' > .gitignore
        git status -s -uall; printf '*\n!*/\n!*.txt\n' > .gitignore; git status -s -uall""",
    "adding": """
        git init -q r; cd r; mkdir d; echo 1 > d/a; echo 2 > b; git add d; git status -s; git add nope; echo $?
        git add -A; git commit -qm x; rm b; echo 3 > d/a; echo n > n; git add -u; git status -s; git add .
        git status -s; git add -n .; git commit -qm y; echo q > q.txt; echo p > p.md; git add '*.txt'; git status -s""",
    "committing": """
        git init -q r; cd r; git commit -m x; echo $?; echo a > f; git commit -m x; echo $?; git add f
        git commit -m ''; echo $?; git commit -qm one; git commit -m none; echo $?; git commit --allow-empty -m empty
        git commit --allow-empty --amend -m amended; git log --oneline
        git commit --allow-empty --amend --no-edit --author 'X Y <x@y>'; git log -1; echo 1 > x; echo 2 > y; git add .
        git commit x -m onlyx; git commit -qm rest; printf 'from file\\n\\n\\n\\nbody  \\n' > m
        git commit --allow-empty -F m; git log -1; printf 'std' | git commit --allow-empty -qF -
        git log -1 --format=%s""",
    "who": """
        unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL; git init -q r; cd r; echo a > f
        git add f; git -c user.name=a -c user.email=a@b commit -qm x; git log --format='%an <%ae> %cn <%ce>'
        git config user.name B; git config user.email b@c; git commit --allow-empty -qm y; git log -1 --format='%an %ae'
        GIT_AUTHOR_NAME=C git commit --allow-empty -qm z; git log -1 --format='%an %ae %cn'""",
    "formats": """
        git init -q r; cd r; echo a > f; git add .; git commit -qm 'sub ject\n\nbody\nmore'; git tag v1
        git log --format='%H|%h|%T|%an|%ae|%ad|%ai|%aI|%at|%as|%cn|%cd|%s|%b|%d|%D|%P|%p|%n|%%|%f|%x41'
        git log --pretty=oneline; git log --pretty=short; git log --pretty=full; git log --pretty=fuller
        git log --date=iso; git log --date=short --format=%ad; git log --format=format:%h; echo .
        git log --decorate; git log --oneline --decorate; git show -s --format=%B; git log --pretty=format:'%h %s' -p
        git log --pretty=tformat:%s --stat; git log --oneline -p; git log --oneline --name-only
        git log --name-status""",
    "revisions": """
        git init -q r; cd r; for i in 1 2 3 4; do echo $i > f; git add f; git commit -qm "c$i"; done
        git rev-parse HEAD HEAD~1 HEAD^ HEAD~3 @ main HEAD^{tree} HEAD:f; git rev-parse --short HEAD
        git log --oneline HEAD~2..; git log --oneline HEAD~3..HEAD~1; git log --oneline -2
        git log --oneline -n 1 --skip 1; git log --oneline ^HEAD~2 main; git rev-parse --verify nope
        git rev-parse --verify -q nope; echo $?; git log nope; git rev-list --count HEAD; git show HEAD~1:f
        git cat-file -t HEAD; git cat-file -p HEAD; git cat-file -p HEAD^{tree}; git cat-file -s HEAD:f
        git diff HEAD~2 HEAD~1; git log --oneline --reverse; git log --oneline --grep c2; git ls-tree HEAD
        git merge-base HEAD HEAD~2; git log --graph --oneline; git log --oneline --all; git cat-file -p nope""",
    "folders": """
        git init r; cd r; mkdir -p a/b; echo x > a/b/f; git add .; git commit -qm one; cd a/b
        git rev-parse --show-prefix --show-cdup; echo y > f; echo n > n; git status; git status -s
        git status --porcelain; git diff --name-only; git add .; cd ..; git status -s; git -C b status -s; cd ../..
        git status; echo $?; git -C nope status; git init r; git init --bare b.git; git -C b.git status""",
    "tags": """
        git init -q r; cd r; echo a > f; git add .; git commit -qm one; git tag v1; git tag -a v2 -m annotated; git tag
        git show v2; git rev-parse v2^{}; git tag v1; git tag -d v1; git tag -d nope; git cat-file -t v2
        git tag -l 'v*'; git log --oneline --decorate""",
    "settings": """
        git init -q r; cd r; git config user.name 'Me X'; git config user.name; git config --list --local
        git config nope.x; echo $?; git config --unset user.name; git config user.name; echo $?
        git config --global alias.x log; git config --global --list; git config a.b.c.d 1; tail -2 .git/config
        git config --get core.bare; git config --add x.y 1; git config --add x.y 2; git config --get-all x.y
        git config remote.o.url 'http://x/#y;z "q" \\\\'; git config remote.o.url; git config --bool core.bare""",
    "remotes": """
        git init -q r; cd r; git remote add origin https://h/x.git; git remote -v; git remote
        git remote add origin x; echo $?; git remote set-url origin https://h/y.git; git remote get-url origin
        cat .git/config; git remote rename origin up; git remote -v; git remote remove up; git remote -v
        git remote rm nope; echo $?""",
    "names": """
        git init -q r; cd r; echo 1 > 'a b'; echo 2 > 'ü'; printf 3 > "$(printf 't\\tx')"; echo 4 > 'q"q'; git status -s
        git add .; git status; git commit -m x; echo 5 >> 'a b'; echo 6 >> 'ü'; git diff; git diff --stat
        git diff --name-only; git ls-files; git status --porcelain -z | tr '\\0' '%'""",
    "moving and removing": """
        git init -q r; cd r; mkdir d; echo 1 > f; echo 2 > d/g; echo 3 > k; git add .; git commit -qm one; git mv f h
        git ls-files; git mv d e; git ls-files; git mv nope x; git mv h e; git ls-files; git rm e; git rm -r -q e -f
        ls; echo x >> k; git rm k; git rm --cached k; git status -s; git rm nope""",
    "merging": """
        git init -q r; cd r; seq 20 > f; git add .; git commit -qm one; git checkout -qb x; sed -i 's/^2$/two/' f
        echo n > n; git add .; git commit -qm two; git checkout -q main; git merge x; git merge x
        git reset -q --hard HEAD~1; sed -i 's/^19$/nineteen/' f; git commit -qam three; git merge x; cat f
        git log --oneline; git log -1; git show; git status; git branch --merged; git branch -d x; git diff HEAD~1
        git merge nope""",
    "conflicts": """
        git init -q r; cd r; seq 5 > f; git add .; git commit -qm one; git checkout -qb x
        sed -i 's/^3$/three/' f; git commit -qam two; git checkout -q main; sed -i 's/^3$/THREE/' f
        git commit -qam three; git merge x; echo $?; cat f; git status; git status -s; git ls-files -s; git merge x
        git merge --abort; git status; git merge x; echo resolved > f; git add f; git commit -m done
        git log -1 --format='%s %P'; git merge --abort""",
    "picking": """
        git init -q r; cd r; seq 5 > f; git add .; git commit -qm one; git checkout -qb x; echo six >> f
        git commit -qam six; echo g > g; git add .; git commit -qm g; git checkout -q main; git cherry-pick x; ls
        git log --oneline; git revert HEAD; ls; git log -1; git cherry-pick x~1; cat f""",
    "stash": """
        git init -q r; cd r; seq 5 > f; git add .; git commit -qm one; echo x >> f; echo n > n; git add n; git stash
        git status -s; ls; git stash list; git stash show; git stash pop -q; git status -s; cat f
        git stash push -q -m named; git stash list; git stash apply -q; git status -s; git stash drop -q
        git stash list""",
    "patches": """
        git init -q r; cd r; seq 10 > f; echo a > g; printf x > noeol; git add .; git commit -qm one
        sed -i 's/^5$/five/' f; rm g; echo new > d; chmod +x d; mkdir s; echo t > s/t; printf 'y\\n' > noeol
        git add -A; git diff --cached > ../p; git reset -q --hard; git apply --check ../p; echo $?
        git apply --numstat ../p; git apply ../p; git status -s; [ -x d ] && echo x; git apply -R ../p
        git status -s; git apply < ../p; git apply ../p; echo $?; git reset -q --hard; rm -rf d s
        sed -i 's/^5$/FIVE/' f; git apply ../p; echo $?; git status -s; echo junk | git apply; echo $?
        git checkout -q .; git apply --index ../p; git status -s""",
    "evil patches": """
        git init -q r; cd r; mkdir ../out; ln -s ../out l; git add .; git commit -qm one
        printf -- '--- /dev/null\\n+++ b/../evil\\n@@ -0,0 +1 @@\\n+x\\n' | git apply; echo $?
        printf 'diff --git a/l/x b/l/x\\nnew file mode 100644\\n' > ../p
        printf -- '--- /dev/null\\n+++ b/l/x\\n@@ -0,0 +1 @@\\n+x\\n' >> ../p
        git apply ../p; echo $?; ls ../out; sed -i 's,l/x,.git/x,' ../p; git apply ../p; echo $?""",
    "cleaning": """
        git init -q r; cd r; mkdir d; touch a d/b c.o; echo '*.o' > .gitignore; git add .gitignore; git commit -qm x
        git clean; git clean -n; git clean -nd; git clean -fdX; ls; git clean -fd; ls""",
    "wide names": """
        git init -q r; cd r; d=very/long/path/with/many/parts/in/it/that/is/too/long/for/the/line/of/eighty
        mkdir -p $d; seq 500 > $d/columns.txt; seq 3 > s; git add .; git commit -qm x; seq 100 300 > s; git add .
        git diff --cached --stat; git show --stat""",
    "functions": r"""
        git init -q r; cd r; printf 'def f():\n    a\n    b\n    c\n    d\n    e\n    f\n' > f.py
        printf '\ndef g():\n    1\n    2\n    3\n    4\n' >> f.py
        git add .; git commit -qm x; sed -i 's/    4/    four/; s/    f$/    eff/' f.py; git diff; git diff -U0""",
    "clones of folders": """
        git init -q -b main o; cd o; echo a > f; git add .; git commit -qm one; git tag v1; git branch side; cd ..
        git clone o c; cd c; git log --oneline; git branch -a; git status; git tag; cd ..; git clone -q o c; echo $?
        git clone nope x; echo $?; git clone -q --bare o b.git; git -C b.git log --oneline
        git clone -q -b side o d; git -C d branch; git clone -q -b nope o e; echo $?; ls""",
    "fetching from folders": """
        git init -q -b main o; cd o; echo a > f; git add .; git commit -qm one; cd ..; git clone -q o c; cd o
        echo b > f; git commit -qam two; git tag v2; git branch n; cd ../c; git fetch; git status -sb; git status
        git pull; git log --oneline; git fetch; git pull; cd ../o; git branch -D n; cd ../c; git fetch -p
        git branch -a""",
    "searching": """
        git init -q r; cd r; mkdir d; printf 'foo bar\\nBaz foo\\n' > a; printf 'x foo(1)\\n' > d/b
        printf 'a\\0foo\\n' > bin; echo foo > un; git add a d bin; git commit -qm 1; git grep foo; git grep -n foo
        git grep -il baz; git grep -c foo; git grep -w fo; echo $?; git grep -E 'fo+\\('; git grep -F 'foo(1)'
        git grep foo -- d; git grep foo HEAD; git grep -e foo -e Baz d; cd d; git grep foo; git grep -o 'fo*'""",
    "below the top": """
        git init -q r; cd r; mkdir -p a/b c; echo 1 > a/b/x; echo 2 > c/y; git add .; git commit -qm 1; cd a
        echo 3 >> b/x; git diff --stat; git status; git add ../c b; git checkout -- b; git restore --staged .
        git restore .; git status -s; git log --oneline -- b; git show HEAD:./b/x; git ls-files; git ls-files ..
        git rm -q --cached b/x; git status -s""",
}
