import { realpath } from 'node:fs/promises';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../peers/index.ts';
import { type LayerFiles, program, text, withFiles } from '../real-node/images/layer-files.ts';
import { OciLayout } from '../real-node/images/oci-layout.ts';

/** The image that the pods run; no registry has it. */
export const TRY_IMAGE = 'localhost/keelson-try:1';

const TOOLS = ['sh', 'ls', 'cat', 'sleep', 'id'];
const SERVER = `const { createServer } = require('node:http');
console.log('listening on 8080, as process', process.pid);
createServer((request, answer) => {
  console.log(request.method, request.url);
  answer.end('hello from a real container\\n');
}).listen(8080);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
`;

export interface TryImageOptions {
  /** A folder for files that are not needed afterwards. */
  readonly scratch: string;
  /** The name that the runtime uses for the first container of a pod; undefined where it has an image for that. */
  readonly sandboxImage: string | undefined;
}

/** Packs Node.js and a few programs of this machine, with the libraries that they need, into an archive of images. */
export async function buildTryImage({ scratch, sandboxImage }: TryImageOptions): Promise<string> {
  const files: Record<string, LayerFiles[string]> = {
    'server.js': text(SERVER),
    'etc/passwd': text('root:x:0:0:root:/:/bin/sh\n'),
    'bin/node': program(process.execPath),
  };
  const paths = [process.execPath];
  for (const name of TOOLS) {
    const path = (await runProgram(['sh', '-c', `command -v ${name}`])).trim();
    files[`bin/${name}`] = program(await realpath(path));
    paths.push(path);
  }
  for (const library of await librariesOf(paths)) files[library.slice(1)] = program(await realpath(library));
  await mkdir(scratch, { recursive: true });
  const layout = await OciLayout.create(join(scratch, 'layout'));
  const layer = await withFiles(files, scratch, (folder) => layout.layer(folder));
  await layout.image(TRY_IMAGE, [layer], { Cmd: ['node', '/server.js'] });
  if (sandboxImage !== undefined) await layout.image(sandboxImage, [layer], { Entrypoint: ['sleep', 'infinity'] });
  const archive = join(scratch, 'images.tar');
  await layout.pack(archive);
  return archive;
}

/** The libraries that programs are linked with, the loader among them. */
async function librariesOf(programs: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of programs) {
    const listed = await runProgram(['ldd', path]).catch(() => ''); // one without libraries
    for (const [, library] of listed.matchAll(/(?:=> )?(\/\S+) \(0x[0-9a-f]+\)/g))
      if (library !== undefined) found.add(library);
  }
  return [...found];
}
