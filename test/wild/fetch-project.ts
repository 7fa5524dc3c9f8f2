import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { Definition, Json } from './definition.ts';
import type { GoSource, JavaSource, Project } from './projects.ts';

/** What a project publishes: its definitions, and manifests of all kinds from its examples and tests. */
export interface Published {
  readonly definitions: readonly Definition[];
  readonly manifests: readonly Json[];
}

const FETCH_LIMIT_MS = 5 * 60_000;
const MAX_FILE_BYTES = 1_000_000;
/** Copies of other projects, and files that are no manifests. */
const LEFT_OUT = new Set(['vendor', 'node_modules', 'third_party', '.git']);

/** Fetches a project from its registry into the cache of that registry's own tool. */
export function fetchProject({ source }: Project): Published {
  return source.type === 'go' ? fetchGoModule(source) : generateFromJava(source);
}

function fetchGoModule({ module, version, definitions }: GoSource): Published {
  const text = run('go', ['mod', 'download', '-json', `${module}@${version}`], tmpdir());
  const { Dir: folder } = JSON.parse(text) as { Dir: string };
  return {
    definitions: definitions.flatMap((path) => objectsUnder(join(folder, path)).filter(isDefinition)),
    manifests: objectsUnder(folder).filter((object) => !isDefinition(object)),
  };
}

function generateFromJava({ version, artifacts, generator, classes }: JavaSource): Published {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-wild-'));
  try {
    const dependencies = artifacts.map((artifact) => {
      const [group, name] = artifact.split(':');
      return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
    });
    writeFileSync(
      join(folder, 'pom.xml'),
      `<project><modelVersion>4.0.0</modelVersion><groupId>wild</groupId><artifactId>wild</artifactId><version>1</version><dependencies>${dependencies.join('')}</dependencies></project>`,
    );
    run('mvn', ['-q', '-B', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'], folder);
    const output = join(folder, 'crds');
    mkdirSync(output);
    const targets = classes.map((name, index) => `${name}=${join(output, `${index}.yaml`)}`);
    const classPath = readFileSync(join(folder, 'classpath'), 'utf8');
    run('java', ['-cp', classPath, generator, '--yaml', '--crd-api-version', 'v1', ...targets], folder);
    return { definitions: objectsUnder(output).filter(isDefinition), manifests: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    timeout: FETCH_LIMIT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Every object in the YAML files of a folder; files that are templates or no YAML are passed over. */
function objectsUnder(path: string): Json[] {
  const { isDirectory, size } = stat(path);
  if (isDirectory)
    return readdirSync(path)
      .filter((name) => !LEFT_OUT.has(name))
      .sort()
      .flatMap((name) => objectsUnder(join(path, name)));
  const isManifest = /\.ya?ml$/.test(path) && (size <= MAX_FILE_BYTES || /crd|customresource/.test(path));
  if (!isManifest) return [];
  try {
    const documents = loadAll(readFileSync(path, 'utf8')) as unknown[];
    return documents.filter((value): value is Json => typeof (value as Json | null)?.kind === 'string');
  } catch {
    return []; // a template, or no YAML
  }
}

function stat(path: string): { readonly isDirectory: boolean; readonly size: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  return { isDirectory: found?.isDirectory() ?? false, size: found?.size ?? 0 };
}

function isDefinition(object: Json): object is Definition {
  return object.kind === 'CustomResourceDefinition' && object.apiVersion === 'apiextensions.k8s.io/v1';
}
