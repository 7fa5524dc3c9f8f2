// `npm start [-- arguments]`: builds the bundle when a source is newer than it, then runs it.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const bundle = join(root, 'dist', 'keelson.js');

function isStale() {
  if (!existsSync(bundle)) return true;
  const built = statSync(bundle).mtimeMs;
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  return sources.some(
    (entry) =>
      entry.isFile() &&
      /\.(tsx?|css|html|api)$/.test(entry.name) &&
      !entry.name.endsWith('.test.ts') &&
      !/src\/(api\/(generated|types)|client\/generated)/.test(entry.parentPath) &&
      statSync(join(entry.parentPath, entry.name)).mtimeMs > built,
  );
}

if (isStale()) {
  const { buildBundles } = await import('./build.mjs');
  await buildBundles();
}
const args = process.argv.slice(2);
const child = spawn(process.execPath, [bundle, ...(args.length === 0 ? ['up'] : args)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 0)));
