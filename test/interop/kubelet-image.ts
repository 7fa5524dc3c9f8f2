import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from './toolchain.ts';

/** The image of all containers of the kubelet's trial, and that of its sandboxes. */
export const LOOK_IMAGE = 'interop.keelson/look:1';
export const PAUSE_IMAGE = 'interop.keelson/pause:1';

const BLOCK_BYTES = 512;

/** Builds an image of one static program, and answers with the path of its archive. */
export async function makeImage(folder: string): Promise<string> {
  const program = join(folder, 'look');
  const cwd = resolve('test', 'interop', 'programs', 'look'); // scripts are run from the root
  await build(['go', 'build', '-o', program, 'main.go'], { cwd, environment: { CGO_ENABLED: '0' }, limitMs: 300_000 });
  const layer = archive([['look', await readFile(program), 0o755]]);
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: { Entrypoint: ['/look'] },
      rootfs: { type: 'layers', diff_ids: [`sha256:${digest(layer)}`] },
    }),
  );
  const configName = `${digest(config)}.json`;
  const manifest = [{ Config: configName, RepoTags: [LOOK_IMAGE, PAUSE_IMAGE], Layers: ['layer.tar'] }];
  const path = join(folder, 'image.tar');
  const members: readonly Member[] = [
    [configName, config, 0o644],
    ['layer.tar', layer, 0o644],
    ['manifest.json', Buffer.from(JSON.stringify(manifest)), 0o644],
  ];
  await writeFile(path, archive(members));
  return path;
}

type Member = readonly [name: string, content: Buffer, mode: number];

/** A tar archive (ustar). */
function archive(members: readonly Member[]): Buffer {
  const blocks = members.flatMap(([name, content, mode]) => {
    const header = Buffer.alloc(BLOCK_BYTES);
    const octal = (value: number, at: number, length: number): void =>
      void header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
    header.write(name, 0, 'latin1');
    octal(mode, 100, 8);
    octal(0, 108, 8);
    octal(0, 116, 8);
    octal(content.length, 124, 12);
    octal(0, 136, 12);
    header.write('        0', 148, 'latin1');
    header.write('ustar\x0000', 257, 'latin1');
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      148,
      7,
    );
    return [header, content, Buffer.alloc(-content.length & (BLOCK_BYTES - 1))];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
