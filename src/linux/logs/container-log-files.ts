import { access, mkdir, readdir, readlink, rm, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CONTAINER_NAME, type ContainerStatus, POD_NAME, POD_NAMESPACE } from '../../node/index.ts';
import { errorCode } from '../../system/index.ts';

const SUFFIX = '.log';
const MAX_NAME_BYTES = 255;

/** What is to be known of a container to find its log. */
export type LoggedContainer = Pick<ContainerStatus, 'id' | 'labels' | 'logPath'>;

/** The log files of containers, and the links to them in one folder, where log collectors look for them. */
export class ContainerLogFiles {
  readonly #links: string;

  /** `links` is the folder of the links: `/var/log/containers`. */
  constructor(links: string) {
    this.#links = links;
  }

  async prepare(): Promise<void> {
    await mkdir(this.#links, { recursive: true, mode: 0o755 });
  }

  /** Makes the link to the log of a container that was started, if the container logs to a file. */
  async link(container: LoggedContainer): Promise<void> {
    const { logPath } = container;
    const link = this.#linkOf(container);
    if (logPath === '' || link === undefined || !(await exists(logPath))) return;
    try {
      await symlink(logPath, link);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      await rm(link, { force: true });
      await symlink(logPath, link);
    }
  }

  /** Removes the log of a container that is removed, with what was rotated away from it, and the link. */
  async remove(container: LoggedContainer): Promise<void> {
    const { logPath } = container;
    const link = this.#linkOf(container);
    if (link !== undefined) await rm(link, { force: true });
    if (logPath === '') return;
    const [folder, name] = [dirname(logPath), basename(logPath)];
    for (const each of await names(folder))
      if (each === name || each.startsWith(`${name}.`)) await rm(join(folder, each), { force: true });
  }

  /** Removes the folder with the logs of a pod, `<namespace>_<name>_<uid>`, and the links into it. */
  async removePod(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true });
    const [namespace = '', pod = ''] = basename(folder).split('_');
    for (const name of await names(this.#links)) {
      if (!name.startsWith(`${pod}_${namespace}_`)) continue;
      const target = await readlink(join(this.#links, name)).catch(() => '');
      if (target.startsWith(`${folder}/`)) await unlink(join(this.#links, name));
    }
  }

  /** `<pod>_<namespace>_<container>-<id>.log`. Undefined for containers of other programs. */
  #linkOf({ id, labels }: Omit<LoggedContainer, 'logPath'>): string | undefined {
    const [pod, namespace, container] = [labels[POD_NAME], labels[POD_NAMESPACE], labels[CONTAINER_NAME]];
    if (pod === undefined || namespace === undefined || container === undefined) return undefined;
    const name = `${pod}_${namespace}_${container}-${id}`.slice(0, MAX_NAME_BYTES - SUFFIX.length);
    return join(this.#links, `${name}${SUFFIX}`);
  }
}

async function names(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []); // a folder that is not there has no files
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
