import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What stands at a path of a layer. */
export type LayerFile =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'copy'; readonly from: string; readonly mode: number }
  | { readonly type: 'link'; readonly target: string }
  | { readonly type: 'folder'; readonly mode: number };

export const text = (content: string): LayerFile => ({ type: 'text', text: content });
export const link = (target: string): LayerFile => ({ type: 'link', target });
export const folder = (mode = 0o755): LayerFile => ({ type: 'folder', mode });
export const program = (from: string, mode = 0o755): LayerFile => ({ type: 'copy', from, mode });
export const copy = (from: string): LayerFile => ({ type: 'copy', from, mode: 0o644 });

/** Files by path. */
export type LayerFiles = Readonly<Record<string, LayerFile>>;

/** Lays the files out in a folder of their own below `scratch` and gives it to `use`. */
export async function withFiles<T>(
  files: LayerFiles,
  scratch: string,
  use: (staging: string) => Promise<T>,
): Promise<T> {
  const staging = await mkdtemp(join(scratch, 'layer-'));
  try {
    await chmod(staging, 0o755);
    for (const [path, file] of Object.entries(files)) await put(file, join(staging, path));
    return await use(staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function put(file: LayerFile, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  switch (file.type) {
    case 'text':
      await writeFile(path, file.text);
      return;
    case 'copy':
      await copyFile(file.from, path);
      await chmod(path, file.mode);
      return;
    case 'link':
      await symlink(file.target, path);
      return;
    case 'folder':
      await mkdir(path, { recursive: true });
      await chmod(path, file.mode);
  }
}
