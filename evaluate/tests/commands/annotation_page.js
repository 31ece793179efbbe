// The script of the sheet, run against as much of a browser as it uses.
const fs = require("fs"), vm = require("vm"), path = require("path"), assert = require("assert");
const root = path.resolve(__dirname, "../../..");
function El(tag){return {tag,children:[],dataset:{},value:"",textContent:"",checked:false,classList:{s:new Set(),toggle(c,b){b?this.s.add(c):this.s.delete(c)}},listeners:{},addEventListener(n,f){this.listeners[n]=f},append(...x){this.children.push(...x)},offsetTop:0,scrollTop:0}}
const mk=(id)=>{const it=El("section");it.dataset.id=id;const radios=["supported","contradicted","not supported"].map(v=>Object.assign(El("input"),{value:v}));const reason=El("input");const bq=Object.assign(El("mark"),{textContent:"Marked bit."});
 it.querySelector=(q)=>q==="input[type=radio]:checked"?radios.find(r=>r.checked)||null:q===".reason"?reason:q==="blockquote mark"?bq:null; it.querySelectorAll=()=>radios; it.radios=radios; it.reason=reason; return it};
const items=[mk("a1"),mk("b2")];
const pre=El("pre"), hits=El("span"), find=El("input"); Object.defineProperty(pre,"textContent",{set(v){pre.children=v===""?[]:[v]},get(){return pre.children.map(c=>c.textContent??c).join("")}});
const det=El("details"); det.dataset.whole="k"; det.querySelector=(q)=>q==="pre"?pre:q===".hits"?hits:q===".find"?find:null; det.closest=()=>items[0];
pre.querySelector=()=>pre.children.find(c=>c.tag==="mark")||null;
const byId={sources:{textContent:JSON.stringify({k:"Before. Marked bit. After, marked."})},rater:El("input"),progress:El("span"),save:El("button")};
let saved=null; const docl={};
const ctx={document:{body:{dataset:{sheet:"x"}},getElementById:(i)=>byId[i],querySelectorAll:(q)=>q===".item"?items:[det],createElement:(t)=>Object.assign(El(t),{click(){saved=this}}),addEventListener:(n,f)=>docl[n]=f},localStorage:{d:{},getItem(k){return this.d[k]??null},setItem(k,v){this.d[k]=v}},URL:{createObjectURL:(b)=>b,revokeObjectURL(){}},Blob:class{constructor(p){this.p=p}},JSON,Boolean,Object,console};
vm.createContext(ctx); vm.runInContext(fs.readFileSync(root+"/evaluate/src/wellsourced_evaluate/render/annotation_sheet.js","utf8"),ctx);
assert.equal(byId.progress.textContent, "0 of 2");
items[0].radios[2].checked = true;
items[1].reason.value = '=x "y"';
byId.rater.value = "Anna B";
docl.input();
assert.equal(byId.progress.textContent, "1 of 2");
assert.deepEqual(JSON.parse(ctx.localStorage.d["wellsourced-sheet-x"]).items.a1, { label: "not supported", reason: "" });
byId.save.listeners.click();
assert.equal(saved.download, "Anna-B.csv");
assert.equal(
  saved.href.p[0],
  '\ufeffid,label,reason,rater\r\n"a1","not supported","","Anna B"\r\n"b2","","\'=x ""y""","Anna B"\r\n',
);
det.open = true;
det.listeners.toggle();
assert.equal(hits.textContent, "1 found");
find.listeners.input({ target: { value: "MARKED" } });
assert.equal(hits.textContent, "2 found");
