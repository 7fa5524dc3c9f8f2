import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AppObjects } from './app-objects.ts';
import { dockerfile, dockerignore } from './dockerfile.ts';
import { helmChart } from './helm-chart.ts';
import { documents, type ManifestFile } from './manifest-file.ts';
import type { DeploymentSettings } from './settings.ts';

/** Files that users may change: existing ones are kept. */
const OF_PEOPLE = new Set(['Dockerfile', 'Dockerfile.dockerignore']);

/** The objects in the order of their creation; kubectl applies the files of a folder by name. */
export function objectFiles(objects: AppObjects): readonly ManifestFile[] {
  return [
    { path: '0-namespace.yaml', text: documents(objects.namespace) },
    { path: '1-definitions.yaml', text: documents(objects.definitions) },
    { path: '2-access.yaml', text: documents(objects.access) },
    { path: '3-deployment.yaml', text: documents(objects.deployment) },
    { path: '4-registrations.yaml', text: documents(objects.registrations) },
  ].filter(({ text }) => text !== '');
}

/** All files of a deployment: objects for kubectl, a chart for Helm, and the files of the image. */
export function deploymentFiles(objects: AppObjects, settings: DeploymentSettings): readonly ManifestFile[] {
  const within = (folder: string, files: readonly ManifestFile[]): readonly ManifestFile[] =>
    files.map(({ path, text }) => ({ path: `${folder}/${path}`, text }));
  return [
    ...within('kubernetes', objectFiles(objects)),
    ...within('chart', helmChart(objects, settings)),
    { path: 'Dockerfile', text: dockerfile(settings) },
    { path: 'Dockerfile.dockerignore', text: dockerignore },
  ];
}

/** Writes the files into a folder; returns those that it has kept. */
export async function writeFiles(folder: string, files: readonly ManifestFile[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { path, text } of files) {
    const file = join(folder, path);
    if (OF_PEOPLE.has(path) && existsSync(file)) {
      left.push(path);
      continue;
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return left;
}
