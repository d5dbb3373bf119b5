import { prints } from "../../harness_test.ts";

prints("keys stay keys whatever is in them", {
  "declare -A c; for w in \"it's\" 'a\"b' 'x]y' 'a$b' 'a b' '*' '$(echo no)' 'a\\b' ']' '`'; do ((c[$w]++)); : $((c[\"$w\"] += 2)); echo \"${c[$w]}\"; done | sort | uniq -c | tr -s ' '":
    " 10 3\n",
  "declare -A c; k='$(echo no)'; c[$k]=1; [[ -v c[$k] ]] && echo there; ((c['x y']=4, c[\\$k]=9)); echo \"${c[x y]} ${#c[@]}\"; k='[z'; ((c[$k]++)); echo ${c[$k]}":
    "there\n4 3\n1\n",
  "a=(1 2 3 4); i=1; echo $((a[$i] + a[i+1] + a[${a[0]}] + a[$((1 + 1))])); x='a[2]'; echo $((x)); ((a[\"1\"]++)); echo ${a[1]}":
    "10\n3\n3\n",
  "x='1 2'; y='*'; declare -A m=($x $y); declare -p m; m+=(\"$y\" z); declare -p m":
    'declare -A m=(["1 2"]="*" )\ndeclare -A m=(["*"]="z" ["1 2"]="*" )\n',
  'bash -c \'k="a]b"; declare -A m; read "m[$k]" <<< v; printf -v "m[$k]" v; declare -A n=([k]=1); [ -v n[@] ] || echo no\' 2>&1':
    "bash: line 1: read: `m[a]b]': not a valid identifier\nbash: line 1: printf: `m[a]b]': not a valid identifier\nno\n",
});
