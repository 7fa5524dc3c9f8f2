import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Peer, Recipe } from './catalog.ts';
import { programText, unpackDebian } from './debian.ts';
import { goBuild, type GoBuildOptions, isGoPeer } from './go-build.ts';
import { runProgram } from './run-program.ts';

/** Builds one peer into the folder; nothing is there under its name until it is whole. */
export async function buildPeer(peer: Peer, options: GoBuildOptions): Promise<void> {
  const scratch = join(options.folder, `.building-${peer.name.replaceAll('/', '-')}`);
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  try {
    if (isGoPeer(peer)) await goBuild(peer, scratch, options);
    else await makeWithoutGo(peer, scratch, options);
    const [file] = await readdir(scratch);
    if (file === undefined) throw new Error(`Nothing was made for ${peer.name}`);
    const path = join(options.folder, peer.name);
    await mkdir(dirname(path), { recursive: true });
    await rename(join(scratch, file), path);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function makeWithoutGo({ name, recipe }: Peer, scratch: string, options: GoBuildOptions): Promise<void> {
  const output = join(scratch, basename(name));
  if (recipe.type === 'c') await compileC(recipe, output, options.source);
  if (recipe.type === 'debian') {
    const root = join(options.folder, 'debian', recipe.package);
    await unpackDebian([recipe.package], root);
    await writeFile(output, programText(root, recipe.program));
    await chmod(output, 0o755);
  }
}

async function compileC(recipe: Extract<Recipe, { type: 'c' }>, output: string, source: string): Promise<void> {
  const module = await runProgram(['go', 'list', '-m', '-f', '{{.Dir}}', recipe.module], { cwd: source });
  await runProgram(['gcc', ...recipe.flags, '-o', output, join(module.trim(), recipe.file)], { cwd: source });
}
