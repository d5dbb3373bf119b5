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
    "picking with conflicts": r"""
        export TERM=dumb
        git init -q r; cd r; seq 5 > f; git add f; git commit -qm base; git checkout -q -b x
        sed -i 's/3/three/' f; git commit -qam 'x three'; echo g > g; git add g; git commit -qm 'x g'
        git checkout -q main; sed -i 's/3/drei/' f; git commit -qam 'main drei'
        export GIT_EDITOR=true
        git cherry-pick x~1 x; echo "rc $?"; cat .git/sequencer/todo .git/MERGE_MSG
        git status; git cherry-pick --continue; echo rc $?; git cherry-pick x; echo rc $?
        seq 9 > f; git add f; git status; git cherry-pick --continue; echo rc $?
        git reflog; git reset -q --hard HEAD~2
        git cherry-pick x~1; echo rc $?; git cherry-pick --abort; echo rc $?; git reflog -3
        git cherry-pick x~1 x >/dev/null 2>&1; git cherry-pick --skip; echo rc $?; git log --oneline
        git reset -q --hard HEAD~1; git cherry-pick x~1 >/dev/null 2>&1; git checkout --ours f; git add f
        git cherry-pick --continue; echo rc $?; git cherry-pick --skip; echo rc $?
        git cherry-pick --continue; echo rc $?; git cherry-pick --abort; echo rc $?; git revert --abort
        git cherry-pick --skip; echo rc $?""",
    "reverting": r"""
        export TERM=dumb
        git init -q r; cd r; seq 5 > f; git add f; git commit -qm base; git checkout -q -b x
        sed -i 's/3/three/' f; git commit -qam 'x three'; echo g > g; git add g; git commit -qm 'x g'
        git checkout -q main; sed -i 's/3/drei/' f; git commit -qam 'main drei'
        export GIT_EDITOR=true
        git revert --no-edit HEAD; echo rc $?; git revert HEAD~1; echo rc $?; git status
        git revert --abort; git revert -n HEAD; git status; git revert --abort; git cherry-pick -x x
        git log -1 --format=%B; git cherry-pick -n x~1; git reset -q --hard; git cherry-pick main
        git cherry-pick --abort
        git cherry-pick --allow-empty main; git cherry-pick nope; git cherry-pick --quit
        git cherry-pick main..x; git cherry-pick --quit; git status -s; git reset -q --hard
        git cherry-pick main..main; echo rc $?
        git merge x; git status; git merge --continue; echo rc $?; git merge --abort; git merge --continue
        git reflog""",
    "rebasing": r"""
        export TERM=dumb
        git init -q s; cd s; seq 5 > f; git add f; git commit -qm base; git checkout -q -b x
        sed -i 's/3/three/' f; git commit -qam 'x three'; echo g > g; git add g; git commit -qm 'x g'
        echo h > h; git add h; git commit -qm 'x h'; git checkout -q main; echo m > m; git add m
        git commit -qm 'main m'; git checkout -q x; git branch keep; export GIT_EDITOR=true
        git rebase main; echo rc $?; git reflog; git reflog x; git rebase main; git log --oneline --all
        git status; git reset -q --hard keep; git checkout -q main; git rebase keep~3
        git rebase --onto keep~2 keep main; git reset -q --hard keep~2; git rebase keep; git reflog -4
        git log --oneline""",
    "rebasing with conflicts": r"""
        export TERM=dumb
        git init -q s; cd s; seq 5 > f; git add f; git commit -qm base; git checkout -q -b x
        sed -i 's/3/three/' f; git commit -qam 'x three'; echo g > g; git add g; git commit -qm 'x g'
        echo h > h; git add h; git commit -qm 'x h'; git checkout -q main; echo m > m; git add m
        git commit -qm 'main m'; git checkout -q x; git branch keep; export GIT_EDITOR=true
        git checkout -q main; sed -i s/3/drei/ f; git commit -qam "main drei"; git checkout -q x
        git rebase main; echo rc $?; git status; git branch
        cat .git/MERGE_MSG .git/rebase-merge/{author-script,done,git-rebase-todo,head-name,onto,orig-head}
        cat .git/rebase-merge/{stopped-sha,msgnum,end,message}
        cat f
        git rebase --continue; echo rc $?; git rebase main; echo rc $?; git commit -m y; echo rc $?
        seq 7 > f; git add f; git status; git rebase --continue; echo rc $?; git log --oneline; git reflog
        git reset -q --hard keep
        git rebase main; git rebase --skip; echo rc $?; git log --oneline; git reset -q --hard keep
        git rebase -q main; git rebase --abort; echo rc $?; git status; git reflog -3; git rebase --abort
        echo rc $?; git rebase --continue; git rebase --skip; echo rc $?""",
    "rebasing elsewhere": r"""
        export TERM=dumb
        git init -q s; cd s; seq 5 > f; git add f; git commit -qm base; git checkout -q -b x
        sed -i 's/3/three/' f; git commit -qam 'x three'; echo g > g; git add g; git commit -qm 'x g'
        echo h > h; git add h; git commit -qm 'x h'; git checkout -q main; echo m > m; git add m
        git commit -qm 'main m'; git checkout -q x; git branch keep; export GIT_EDITOR=true
        git checkout -q main; sed -i s/3/drei/ f; git commit -qam "main drei"; git checkout -q x
        git rebase --onto main x~1; echo rc $?; git log --oneline; git reset -q --hard keep
        git rebase --onto main x~2 x~1; git log --oneline; git status; git checkout -q x; git status
        echo dirt >> h; git rebase main; echo rc $?; git add h; git rebase main; echo more >> h
        git rebase main; git rebase --autostash --onto main HEAD~1; git status -s; git stash list
        git checkout -q .; git reset -q --hard keep
        git rebase; git rebase nope; echo rc $?; git rebase main~1 keep; git log --oneline; git status -s
        git checkout -q x; git rebase -f main~2; git rebase --no-ff x~2;git reflog -6""",
    "rebasing by a list": r"""
        export TERM=dumb
        git init -q t; cd t; for i in a b c d e; do echo $i > $i; git add $i; git commit -qm "add $i"; done
        git branch keep
        cat > ../ed <<'XX'
        #!/bin/bash
        sed -i -e "$ED" "$1"
        XX
        chmod +x ../ed; export GIT_SEQUENCE_EDITOR=../ed GIT_EDITOR=true
        GIT_SEQUENCE_EDITOR=cat git rebase -i HEAD~3; echo rc $?
        ED='2s/pick/squash/' git rebase -i HEAD~3; echo rc $?; git log --format='%h %B' -3
        git reset -q --hard keep
        ED='2s/pick/fixup/' git rebase -i HEAD~3; echo rc $?; git log --format='%s' ;git reflog -8
        git reset -q --hard keep
        ED='1s/pick/reword/' GIT_EDITOR="sed -i s/add/ADD/" git rebase -i HEAD~2; echo rc $?
        git log --format='%s' ;git reset -q --hard keep""",
    "stopping in a rebase": r"""
        export TERM=dumb
        git init -q t; cd t; for i in a b c d e; do echo $i > $i; git add $i; git commit -qm "add $i"; done
        git branch keep
        cat > ../ed <<'XX'
        #!/bin/bash
        sed -i -e "$ED" "$1"
        XX
        chmod +x ../ed; export GIT_SEQUENCE_EDITOR=../ed GIT_EDITOR=true
        ED='1s/pick/edit/' git rebase -i HEAD~2; echo rc $?; git status;  echo z > z; git add z
        git commit --amend -qm amended;  git rebase --continue; echo rc $?; git log --format=%s
        git reset -q --hard keep
        ED='1d' git rebase -i HEAD~2; git log --format=%s;git reset -q --hard keep
        ED='1{h;d};2G' git rebase -i HEAD~2;  git log --format=%s;git reset -q --hard keep
        ED='1a break' git rebase -i HEAD~2; git status; git rebase --continue;git reset -q --hard keep
        ED='1a exec false' git rebase -i HEAD~2; echo rc $?; git status
        git rebase --continue;git reset -q --hard keep
        ED='1a exec echo hi' git rebase -i HEAD~2; git rebase -x 'echo hey' HEAD~2; git reset -q --hard keep
        ED='1s/pick/edit/' git rebase -i HEAD~2; echo q >> d; git add d; git rebase --continue
        git log --format=%s -3; git reset -q --hard keep""",
    "logs of refs": r"""
        export TERM=dumb
        git init -q r; cd r; git reflog; echo a > f; git add .; git commit -qm one; git branch y
        git checkout -q -b x; echo b > f; git commit -qam two; git commit -q --amend -m 'two b'
        git checkout -q main; git merge -q x; git tag v1; git checkout -q v1; git status; git checkout -q -
        git status; git reflog; git reflog show x; git log -g --oneline -2
        git rev-parse HEAD@{1} x@{1} @{-1} main@{0}; git rev-parse HEAD@{99}; git show -s --format=%s HEAD@{2}
        git reset -q --hard HEAD~1; git reflog main; git branch -m x xx; git reflog xx; git reflog
        git reflog exists refs/heads/main; echo $?; git reflog exists refs/heads/no; echo $?
        git checkout -q HEAD~0; git commit -q --allow-empty -m det; git status; git branch
        git reflog -2 --date=iso; git reflog --format='%gd %gs %h' -2; git stash list; echo q > f
        git stash -q; git reflog -1; git rev-parse stash@{0}; git reflog delete HEAD@{0}; git reflog -1
        git reflog expire --expire=all --all; git reflog; cat .git/logs/refs/heads/y""",
    "describing": r"""
        export TERM=dumb
        git init -q r; cd r; git describe; echo a > f; git add .; git commit -qm one; git describe
        git describe --always; git tag light; git describe; git describe --tags; echo b > f
        git commit -qam two; git describe --tags; git describe; git tag -a v1 -m t; git describe
        git describe --long; echo c > f; git commit -qam three; git describe; git describe --tags
        git describe --abbrev=10; git describe --abbrev=0; git describe --match 'l*' --tags
        git describe --match 'zz*'; git describe --match 'zz*' --always; echo d > f; git describe --dirty
        git describe --dirty=+; git commit -qam four; git describe --exact-match; git describe --all
        git describe v1 HEAD~1; git checkout -q -b s HEAD~2; echo 1 > g; git add g; git commit -qm s1
        git tag -a v1.5 -m x; echo 2 > g; git commit -qam s2; git checkout -q main; git merge -q -m mm s
        git describe; git describe nope; git describe --contains HEAD~2; git describe --contains s~1
        git name-rev HEAD HEAD~1 HEAD^2 HEAD~3; git name-rev --tags HEAD~3; git name-rev --name-only HEAD~1
        git describe --exclude 'v1.*'; git describe --first-parent""",
    "patches as mail": r"""
        export TERM=dumb
        export GIT_EDITOR=true; git init -q u; cd u; seq 5 > f; git add f; git commit -qm base
        sed -i s/3/three/ f; git commit -qam "Change three

        Some body
        here."; echo bin > g; mkdir d; printf 'no newline' > d/n; git add .; git commit -qm 'Add: g, and (d)!'
        git rm -q g; chmod +x f; git commit -qam 'Entfernt ü'
        git format-patch -2; cat 0001*; git format-patch --stdout HEAD~1; git format-patch -o out HEAD~2
        git format-patch -1 --start-number 5; git format-patch --cover-letter -o cl HEAD~3; cat cl/0000*
        git format-patch -1 -N --stdout; git format-patch -2 -N
        git format-patch --stdout -v2 -2 | grep Subject
        git format-patch --stdout --subject-prefix=RFC -1 -s | head -12; git format-patch HEAD; echo rc $?
        git format-patch --stdout --numbered -1 | grep Subj; git format-patch --root --stdout | grep -c ^From
        long="A very long subject line that goes on and on"
        git commit -q --allow-empty -m "$long so that it has to be folded into two lines of a header, does it not"
        git format-patch --stdout -1; git format-patch -1""",
    "applying mail": r"""
        export TERM=dumb
        export GIT_EDITOR=true; git init -q u; cd u; seq 5 > f; git add f; git commit -qm base
        sed -i s/3/three/ f; git commit -qam "Change three

        Some body
        here."; echo bin > g; mkdir d; printf 'no newline' > d/n; git add .; git commit -qm 'Add: g, and (d)!'
        git rm -q g; chmod +x f; git commit -qam 'Entfernt ü'
        git format-patch -q -o cl HEAD~3; git checkout -q -b o HEAD~3; git am cl/000[123]*
        git log --format='%h %an %ae %ad %s%n%b' -3; git reflog -4; git reset -q --hard HEAD~3; seq 6 9 > f
        git commit -qam nine; git am cl/0001*; echo rc $?; git status;  git am cl/0002*; echo rc $?
        git am --continue; echo rc $?; echo drei >> f; git add f; git status; git am --continue; echo rc $?
        git log --oneline
        git reset -q --hard HEAD~1; git am -q cl/000[12]*; git am --skip; echo rc $?; git log --oneline -3
        git reset -q --hard HEAD~1; git am cl/0001* ; git am --abort; echo rc $?; git status; git am --abort
        echo rc $?; git am --skip; git am nofile; echo rc $?; echo hi > junk; git am junk; echo rc $?
        git am --abort; git am -3 cl/0001*; echo rc $?; git status; cat f; git am --abort
        cat cl/0002* | git am; git reflog -4; git am --show-current-patch; git checkout -q main
        git am -3 cl/0001*; echo rc $?; git log --oneline -1""",
    "work trees": r"""
        export TERM=dumb
        git init -q r; cd r; echo a > f; git add .; git commit -qm one; git branch x; git worktree list
        git worktree add ../w x; git worktree add ../n; git worktree add -b y ../z HEAD
        git worktree add --detach ../d; git worktree list; git worktree list --porcelain; git checkout x
        echo $?; cd ../w; git status; echo b > f; git commit -qam two; git log --oneline
        git rev-parse --git-dir --git-common-dir --show-toplevel; git branch; cd ../r; git log --oneline x
        git worktree add ../w2 x; echo $?; git worktree remove ../n; echo q > ../w/q; git worktree remove ../w
        echo $?; git worktree remove -f ../w; rm -r ../z; git worktree list; git worktree prune -v
        git worktree list; git worktree add ../d; git worktree remove nope; ls .git/worktrees
        git worktree lock ../d; git worktree list; git worktree remove ../d; git worktree unlock ../d
        git worktree remove ../d; ls .git/worktrees; git branch -D y; git status -s""",
    "bisecting": r"""
        export TERM=dumb
        git init -q b; cd b; for i in $(seq 10); do echo $i > f; [ $i -lt 7 ] || echo bug > bug; git add .
        GIT_COMMITTER_DATE="$((1700000000+i)) +0000" git commit -qm "c$i"; done
        git bisect good; echo rc $?
        git bisect start; echo rc $?; git status; git bisect bad; git bisect good HEAD~9; git status
        git bisect log; git bisect good; git bisect bad; git bisect bad; git bisect log; git bisect reset
        git bisect log; git bisect reset
        git bisect start HEAD HEAD~9; git bisect skip; git bisect log; git branch
         cat .git/BISECT_{LOG,NAMES,START,TERMS,EXPECTED_REV}; git for-each-ref; git bisect reset HEAD~2
        git checkout -q main
        git bisect start HEAD HEAD~9 > /dev/null; git bisect run sh -c '! test -f bug'; echo rc $?
        git bisect reset; git bisect start HEAD HEAD~9 -- bug; git bisect reset
        git bisect start --term-old=ok --term-new=broken; git bisect broken; git bisect ok HEAD~5
        git bisect terms; git bisect reset; git bisect start HEAD HEAD~1; git bisect reset
        git bisect start HEAD HEAD~2 >/dev/null; git bisect skip; git bisect good nope; git bisect reset
        git reflog -3""",
    "blaming": r"""
        export TERM=dumb
        git init -q c; cd c; printf 'one\ntwo\nthree\n' > f; git add f; git commit -qm first
        GIT_AUTHOR_NAME=Bob GIT_AUTHOR_DATE='1700090000 +0000' git commit -q --allow-empty -m e
        sed -i 's/two/TWO/; $a four' f
        GIT_AUTHOR_NAME='Bob Longname' GIT_AUTHOR_DATE='1700090000 +0000' git commit -qam second; echo x > g
        mkdir d; echo y > d/y; git add .; git commit -qm third
        git blame f; git blame -s f; git blame -L 2,3 f; git blame -L 2 HEAD~1 -- f; git blame --porcelain f
        git blame -e f; git blame -l -t f; git blame -n f; git blame -L '/TWO/,+1' HEAD -- f; git blame nope
        echo rc $?; git blame -L 9 f; echo rc $?; git blame --line-porcelain -L1,1 f; git blame -w HEAD f
        git blame --date=short HEAD f; git annotate HEAD f; git blame -c HEAD f; git blame -f HEAD f
        git blame --root HEAD f; git blame -b HEAD f; git mv f d/h; sed -i 's/one/ one/' d/h
        git commit -qam moved; git blame d/h; git blame -w d/h; git blame --porcelain d/h; cd d; git blame h
        git blame HEAD~2..HEAD h""",
    "commands of scripts": r"""
        export TERM=dumb
        git init -q c; cd c; printf 'one\ntwo\nthree\n' > f; git add f; git commit -qm first
        GIT_AUTHOR_NAME=Bob GIT_AUTHOR_DATE='1700090000 +0000' git commit -q --allow-empty -m e
        sed -i 's/two/TWO/; $a four' f
        GIT_AUTHOR_NAME='Bob Longname' GIT_AUTHOR_DATE='1700090000 +0000' git commit -qam second; echo x > g
        mkdir d; echo y > d/y; git add .; git commit -qm third
        git notes add -m hello; git notes show; git log -1; git notes list; git notes append -m more
        git notes; git show -s; git notes add -m x; git notes remove; git notes show; echo rc $?
        git notes remove; git cherry main~1; git cherry -v HEAD~2; git var GIT_COMMITTER_IDENT; git write-tree
        git commit-tree HEAD^{tree} -m msg -p HEAD; echo mm | git commit-tree HEAD^{tree}
        git diff-tree -r HEAD; git diff-tree HEAD; git diff-tree --no-commit-id --name-only -r HEAD
        git diff-tree --name-only -r HEAD~1 HEAD; git diff-tree -p HEAD; echo local >> f; git diff-index HEAD
        git diff-index --cached HEAD; git diff-index --quiet HEAD; echo $?; git diff-files
        git diff-files --name-only; git rev-list --all --count
        git rev-list --left-right --count HEAD~1...HEAD; git rev-list -2 HEAD --oneline
        git rev-list --parents -1 HEAD; git rev-list --format=%s -1 HEAD; git rev-list --reverse HEAD
        git rev-list HEAD --not HEAD~1; git rev-list --left-right HEAD~1...HEAD;  git ls-tree -l HEAD
        git ls-tree --format='%(path) %(objecttype)' HEAD; git merge-file -p f g d/y
        git update-index --refresh; echo $?; git update-index f; git status -s; git read-tree HEAD
        git status -s; git ls-tree HEAD | git mktree
        git update-index --add --cacheinfo 100644,587be6b4c3f93f93c489c0111bba5596147a26cb,nn; git status -s
        git gc -q; git pack-refs --all; git commit -q --squash HEAD -m q; git log -1 --format=%s""",
}
