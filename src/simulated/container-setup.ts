import type { Observed, Pod } from '../client/index.ts';
import {
  type ContainerConfig,
  containerMounts,
  type ContainerSpec,
  ExpansionBudget,
  expandVariables,
  type Mount,
  type PodContent,
  podFolder,
} from '../node/index.ts';
import { programOf } from './container-program.ts';
import { fullImageName } from './simulated-images.ts';
import { volumePath } from './simulated-volumes.ts';

/** The part of a container's configuration that commands in it see. Kept small, because most containers never run a command. */
export interface ContainerSetup {
  /** The words of the program, separated by NUL; empty for the image's own program. */
  readonly program: string;
  /** User, group and further groups, separated by commas; empty for root. */
  readonly identity: string;
  /** The name of the signal that stops the container; empty for the default. */
  readonly stopSignal: string;
  /** `NAME=value`, separated by NUL. */
  readonly environment: string;
  readonly workingDirectory: string;
  /** Where volumes and files are mounted: `path=path below the pod's folder` or `path=!path on the machine`, separated by NUL. */
  readonly mounts: string;
  /** The images that are mounted; undefined where there are none, as in most containers. */
  readonly mountedImages?: readonly string[];
  /** Whether the container's program reads stdin, and whether only until the first caller disconnects. */
  readonly stdin: 'none' | 'once' | 'open';
  readonly tty: boolean;
}

/** Where the files of a container's mounts come from. */
export interface FileSource {
  /** The agent's folder on the machine. */
  readonly root: string;
  /** Whether paths of the machine outside of that folder have content, too. */
  readonly readsMachine: boolean;
  content(path: string): Promise<PodContent | undefined>;
}

/** The setup of a container that was started by an earlier process, as far as its pod shows the mounts. */
export function recoveredSetup(pod: Observed<Pod>, container: ContainerSpec, root: string): ContainerSetup {
  const { uid } = pod.metadata;
  const paths = new Map((pod.spec?.volumes ?? []).map((volume) => [volume.name, volumePath(root, uid, volume)]));
  const variables = new Map((container.env ?? []).map(({ name, value = '' }) => [name, value]));
  const budget = new ExpansionBudget();
  const expand = (text: string): string => expandVariables(text, (name) => variables.get(name), budget);
  const { command = [], args = [], image = '', workingDir = '' } = container;
  const words = programOf({ command: command.map(expand), args: args.map(expand), image: { image } });
  const setup = {
    program: words.join('\0'),
    identity: '',
    stopSignal: '',
    environment: [...variables].map(([name, value]) => `${name}=${value}`).join('\0'),
    workingDirectory: workingDir,
    stdin: 'none',
    tty: false,
    ...mountedImages(volumeImages(pod, container)),
  } as const;
  try {
    const mounts = containerMounts(container, (name) => paths.get(name), variables);
    return { ...setup, mounts: mountTexts(mounts, podFolder(root, uid)) };
  } catch {
    return { ...setup, mounts: '' }; // a subPath whose value comes from a variable
  }
}

/** `podRoot` is the folder of the container's pod. */
export function setupOf(config: ContainerConfig, podRoot: string): ContainerSetup {
  const { envs, workingDir, stdin, stdinOnce, tty, stopSignal = '' } = config;
  const mounts = config.mounts.filter(({ containerPath }) => containerPath !== config.annotations[MESSAGE_PATH]);
  return {
    program: programOf(config).join('\0'),
    identity: identityOf(config),
    stopSignal,
    environment: envs.map(({ key, value }) => `${key}=${value}`).join('\0'),
    workingDirectory: workingDir,
    mounts: mountTexts(mounts, podRoot),
    ...mountedImages(mounts.flatMap(({ image }) => image?.image ?? [])),
    stdin: stdin ? (stdinOnce ? 'once' : 'open') : 'none',
    tty,
  };
}

function mountedImages(ids: readonly string[]): Pick<ContainerSetup, 'mountedImages'> {
  return ids.length === 0 ? {} : { mountedImages: ids };
}

function volumeImages({ spec }: Observed<Pod>, { volumeMounts = [] }: ContainerSpec): readonly string[] {
  const mounted = new Set(volumeMounts.map(({ name }) => name));
  return (spec?.volumes ?? []).flatMap(({ name, image }) =>
    mounted.has(name) && image?.reference !== undefined ? [fullImageName(image.reference)] : [],
  );
}

function identityOf({ linux }: ContainerConfig): string {
  const { runAsUser, runAsGroup, supplementalGroups = [] } = linux.securityContext;
  if (runAsUser === undefined && runAsGroup === undefined && supplementalGroups.length === 0) return '';
  const group = runAsGroup ?? 0;
  return [runAsUser ?? 0, group, ...new Set([group, ...supplementalGroups])].join(',');
}

/** The kubelet's annotation: where the file for the termination message is in the container. */
const MESSAGE_PATH = 'io.kubernetes.container.terminationMessagePath';

/** Before a path on the machine that is outside of the pod's folder. */
const OUTSIDE = '!';

/** Leaves out the file for the termination message, which is found by its path in the container. */
function mountTexts(mounts: readonly Mount[], podRoot: string): string {
  return mounts
    .filter(({ hostPath }) => !hostPath.startsWith(`${podRoot}/containers/`))
    .map(
      ({ containerPath, hostPath }) =>
        `${containerPath}=${hostPath.startsWith(podRoot) ? hostPath.slice(podRoot.length) : OUTSIDE + hostPath}`,
    )
    .join('\0');
}

/** The mount paths in the container with their paths on the machine. */
export function mountsOf(
  { mounts }: ContainerSetup,
  root: string,
  podUid: string,
): readonly (readonly [string, string])[] {
  return mounts
    .split('\0')
    .filter((text) => text !== '')
    .map((text) => {
      const at = text.lastIndexOf('=');
      const within = text.slice(at + 1);
      const path = within.startsWith(OUTSIDE) ? within.slice(OUTSIDE.length) : podFolder(root, podUid) + within;
      return [text.slice(0, at), path];
    });
}
