import { StageRig } from './stage-rig.js';
import { definition as tools } from '../../stages/setup-tools/index.js';
import { definition as fetch } from '../../stages/fetch-sources/index.js';
import { definition as resolve } from '../../stages/resolve-versions/index.js';
import { readLock } from '../../stages/resolve-versions/lock.js';
import { parse } from 'yaml'; import fs from 'node:fs'; import os from 'node:os';
const cfg = parse(fs.readFileSync('pipeline.yaml','utf8'));
const rig = new StageRig(); const cold = fs.mkdtempSync(os.tmpdir()+'/cold-');
fs.cpSync('compat', rig.root+'/compat',{recursive:true}); fs.copyFileSync('pipeline.lock.yaml', rig.root+'/pipeline.lock.yaml');
Object.assign(process.env,{UV_CACHE_DIR:cold+'/uv', PIP_CACHE_DIR:cold+'/pip', CARGO_HOME:cold+'/cargo'});
const lock = await readLock('pipeline.lock.yaml');
for (const round of ['cold','warm']) {
 let t=Date.now(); const T = await rig.run(tools,{options: cfg.stages[0].with}); console.log(round,'tools',Date.now()-t);
 t=Date.now(); await rig.run(fetch,{upstream:[T,{stage:'resolve-versions',variant:{id:'',axes:{}},value:{lock},dir:'',digest:''}]}); console.log(round,'fetch',Date.now()-t);
 t=Date.now(); await rig.run(resolve,{options:{pythons:cfg.stages[1].with.pythons},sections:{constraints:cfg.constraints},settings:{update:'1'},upstream:[T]}); console.log(round,'resolve --update',Date.now()-t);
 t=Date.now(); await rig.run(resolve,{options:{pythons:cfg.stages[1].with.pythons},sections:{constraints:cfg.constraints},upstream:[T]}); console.log(round,'resolve (lock fits)',Date.now()-t);
}
console.log(rig.warnings);
rig.remove(); fs.rmSync(cold,{recursive:true,force:true});
