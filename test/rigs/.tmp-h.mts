import { StageRig } from './stage-rig.js';
import { definition as tools } from '../../stages/setup-tools/index.js';
import { definition as resolve } from '../../stages/resolve-versions/index.js';
import { definition as fetch } from '../../stages/fetch-sources/index.js';
import { parse } from 'yaml';
import fs from 'node:fs';
const cfg = parse(fs.readFileSync('/work/main/pipeline.yaml','utf8'));
const rig = new StageRig('/tmp/rs/h');
fs.cpSync('/work/main/compat','/tmp/rs/h/compat',{recursive:true});
let t = Date.now(); const lap=(n:string)=>{console.log(n, Date.now()-t,'ms'); t=Date.now();};
try {
const T = await rig.run(tools,{options: cfg.stages[0].with}); lap('tools'); console.log(T.value.zig, T.value.versions.pip);
const R = await rig.run(resolve,{options:{pythons:['3.11','3.12','3.13','3.14']}, sections:{constraints:cfg.constraints}, upstream:[T]}); lap('resolve');
const R2 = await rig.run(resolve,{options:{pythons:['3.11','3.12','3.13','3.14']}, sections:{constraints:cfg.constraints}, upstream:[T]}); lap('resolve warm');
const F = await rig.run(fetch,{options:{}, upstream:[T,R2]}); lap('fetch'); console.log(F.value, F.dir);
fs.writeFileSync('/tmp/rs/h/arts.json', JSON.stringify({T,R,F}));
} catch (e:any) { console.log(e.failure ?? e); }
console.log(rig.lines.slice(-60).map(l=>l.slice(0,200)).join('\n')); console.log('W', rig.warnings);
