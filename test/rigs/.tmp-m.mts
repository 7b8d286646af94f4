import { StageRig } from './stage-rig.js';
import { definition } from '../../stages/resolve-versions/index.js';
import { measureRow, measureContext, writeMeasurement } from '../../stages/resolve-versions/measure.js';
import fs from 'node:fs';
const rig = new StageRig('/tmp/rs/h');
const {T} = JSON.parse(fs.readFileSync('/tmp/rs/h/arts.json','utf8'));
const env = {PIPELINE_PYTHONS:'/root/.pyenv/versions/3.13.0/bin/python3.13:/root/.pyenv/versions/3.12.1/bin/python3.12'};
for (const [k,v] of JSON.parse(process.argv[2]!)) {
 const t=Date.now();
 const c = rig.context({...definition, env:['PIPELINE_PYTHONS']} as any,{env});
 try { const m = await measureRow(k, v, measureContext(c, T, {jaxRepository:'/work/.mirror/jax-ml+jax/repo'})); console.log(k,v,Date.now()-t,'ms', JSON.stringify(m.row), m.diff); await writeMeasurement('/tmp/rs/h', m); } catch(e:any){console.log(k,v,e.failure ?? e);}
 fs.rmSync(c.tempDir,{recursive:true,force:true});
}
fs.writeFileSync('/tmp/rs/h/m.log', rig.lines.join('\n'));
