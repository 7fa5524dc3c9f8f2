import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/index.ts';
import type { ContainerEdits } from '../../node/index.ts';
import { errorCode } from '../../system/index.ts';
import { type CdiEdits, cdiProblems, type CdiSpec, parseCdiName } from './cdi-spec.ts';

/** A file of a folder. */
export interface CdiFile {
  readonly name: string;
  readonly content: unknown;
  /** What is wrong with it; empty when runtimes would take it. */
  readonly problems: readonly string[];
}

const MAX_FILES = 10_000;
const MAX_FILE_CHARACTERS = 4 * 1024 * 1024;
const EXTENSION = /\.(?:json|yaml)$/;
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;

/** A folder with files of the Container Device Interface in JSON or YAML, such as `/var/run/cdi`. Names are those of files, with `.json` or `.yaml`. */
export class CdiFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Replaces a file in one step, so that no runtime reads half of it. */
  async write(name: string, spec: CdiSpec): Promise<void> {
    const [problem] = cdiProblems(spec);
    if (problem !== undefined) throw new Error(`Cannot write the CDI file "${name}": ${problem}`);
    await mkdir(this.path, { recursive: true, mode: FOLDER_MODE });
    const path = join(this.path, name);
    const temporary = `${path}.tmp`; // runtimes read no other files than .json and .yaml
    const file = await open(temporary, 'w', FILE_MODE);
    try {
      await file.writeFile(`${JSON.stringify(spec, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.path, name), { force: true });
  }

  async names(): Promise<readonly string[]> {
    try {
      const found = (await readdir(this.path)).filter((name) => EXTENSION.test(name)).toSorted();
      return found.slice(0, MAX_FILES);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return []; // no driver has made the folder yet
      throw error;
    }
  }

  async read(name: string): Promise<CdiFile | undefined> {
    try {
      const text = await readFile(join(this.path, name), 'utf8');
      if (text.length > MAX_FILE_CHARACTERS) throw new Error(`it is longer than ${MAX_FILE_CHARACTERS} characters`);
      const content: unknown = name.endsWith('.json') ? JSON.parse(text) : await parsedYaml(text);
      return { name, content, problems: cdiProblems(content) };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined; // it was removed since the folder was listed
      return { name, content: undefined, problems: [messageOf(error)] };
    }
  }

  /** What devices change in a container, as a runtime finds out; throws for names that no file explains. */
  async edits(names: readonly string[]): Promise<ContainerEdits> {
    const specs = await this.#specs();
    const unknown: string[] = [];
    const edits: CdiEdits[] = [];
    const files = new Set<CdiSpec>();
    for (const name of names) {
      const { kind, device } = parseCdiName(name) ?? {};
      const spec = specs.findLast((each) => each.kind === kind && each.devices.some((one) => one.name === device));
      const found = spec?.devices.find((one) => one.name === device);
      if (spec === undefined || found === undefined) {
        unknown.push(name);
        continue;
      }
      edits.push(found.containerEdits);
      if (!files.has(spec) && spec.containerEdits !== undefined) edits.push(spec.containerEdits);
      files.add(spec);
    }
    if (unknown.length > 0)
      throw new Error(`CDI device injection failed: unresolvable CDI devices ${unknown.join(', ')}`);
    return editsOf(edits);
  }

  /** Files that runtimes would take. */
  async #specs(): Promise<readonly CdiSpec[]> {
    const specs: CdiSpec[] = [];
    for (const name of await this.names()) {
      const { content, problems } = (await this.read(name)) ?? { problems: ['it is gone'] };
      if (problems.length === 0) specs.push(content as CdiSpec); // it has the shape: there are no problems
    }
    return specs;
  }
}

/** The parser is loaded where a driver writes YAML. */
async function parsedYaml(text: string): Promise<unknown> {
  const { CORE_SCHEMA, load } = await import('js-yaml');
  return load(text, { schema: CORE_SCHEMA });
}

const PLAIN_MOUNT = { recursiveReadOnly: false, propagation: 'PROPAGATION_PRIVATE', selinuxRelabel: false } as const;

function editsOf(all: readonly CdiEdits[]): ContainerEdits {
  return {
    envs: all.flatMap(({ env = [] }) =>
      env.map((entry) => {
        const at = entry.indexOf('=');
        return { key: entry.slice(0, at), value: entry.slice(at + 1) };
      }),
    ),
    mounts: all.flatMap(({ mounts = [] }) =>
      mounts.map(({ hostPath, containerPath, options = [] }) => ({
        ...PLAIN_MOUNT,
        ...{ hostPath, containerPath, readonly: options.includes('ro') },
      })),
    ),
    devices: all.flatMap(({ deviceNodes = [] }) =>
      deviceNodes.map(({ path, hostPath = path, permissions = 'rwm' }) => ({
        ...{ containerPath: path, hostPath, permissions },
      })),
    ),
    cdiDevices: [],
    annotations: {},
  };
}
