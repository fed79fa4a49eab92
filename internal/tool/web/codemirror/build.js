// Bundles main.js into the file that is named, with the versions and licences of all that goes in.
import {build} from 'esbuild';
import {readFileSync, writeFileSync} from 'node:fs';

const made = await build({
  entryPoints: ['main.js'], bundle: true, minify: true, format: 'esm', target: 'es2022', charset: 'utf8', write: false, metafile: true, legalComments: 'none',
});
const names = new Set(Object.values(made.metafile.outputs).flatMap((o) => Object.entries(o.inputs))
  .filter(([, i]) => i.bytesInOutput > 0).map(([path]) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean));
const terms = new Map(); // of licences, each with who has the rights to what
for (const name of [...names].sort()) {
  const [, rights, rest] = readFileSync(`node_modules/${name}/LICENSE`, 'utf8').match(/^(?:MIT License\s+)?(Copyright .*?)\n\s*\n(.*)$/s);
  const {version} = JSON.parse(readFileSync(`node_modules/${name}/package.json`));
  terms.set(rest.trim(), [...terms.get(rest.trim()) ?? [], `${name} ${version}: ${rights}`]);
}
const head = [...terms].map(([rest, list]) => `${list.join('\n')}\n\nMIT License\n\n${rest}`).join('\n\n');
writeFileSync(process.argv[2], `/* Made by internal/tool/web/codemirror: npm ci && npm run build.\n\n${head}\n*/\n${made.outputFiles[0].text}`);
