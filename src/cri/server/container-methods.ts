// The calls of the Container Runtime Interface about containers.
import { type ContainerFilter, RuntimeError } from '../../node/index.ts';
import type { ServedMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { type container, RuntimeService as methods } from '../protocol/runtime-v1.ts';
import { asMap } from '../to-messages.ts';
import { pagesOf } from './pages.ts';
import { containerConfigOf, containerFilterOf, resourcesOf, sandboxConfigOf } from './read-messages.ts';
import type { ServerParts } from './server-parts.ts';
import { served, servedStream, unsupported } from './served-method.ts';
import { containerStatusMessage, listedContainerMessage } from './write-messages.ts';

/** An answer has two outputs, and clients take 16 MiB. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024 - 1024;

export function containerMethods(parts: ServerParts): readonly ServedMethod[] {
  const { runtime, images, ids, kept, streaming, logFiles, exits } = parts;
  const list = async (
    filter: ContainerFilter,
    signal: AbortSignal,
  ): Promise<readonly MessageOf<typeof container>[]> => {
    const found = await listed(parts, filter, signal);
    return found.map((each) => listedContainerMessage(each, kept.containers.get(each.id)));
  };
  return [
    served(methods.createContainer, async (request, signal) => {
      const podSandboxId = await ids.sandbox(request.podSandboxId ?? '');
      const { runAsUser, runAsUsername = '', runAsGroup } = request.config?.linux?.securityContext ?? {};
      if (runAsGroup !== undefined && runAsUser === undefined && runAsUsername === '')
        throw new RuntimeError('Invalid', `user group "${runAsGroup.value ?? 0}" is specified without user`);
      const asked = containerConfigOf(request.config);
      const sandboxConfig = sandboxConfigOf(request.sandboxConfig);
      const image = await images.imageStatus(asked.image, { signal });
      if (image === undefined)
        throw new RuntimeError('NotFound', `failed to resolve image "${asked.image.image}": not found`);
      const name = image.repoTags[0] ?? image.repoDigests[0] ?? image.id; // clients may name it by its id
      const config = { ...asked, image: { ...asked.image, image: name } };
      const containerId = await kept.addContainer(podSandboxId, { config, sandboxConfig, imageId: image.id }, () =>
        runtime.createContainer({ podSandboxId, config, sandboxConfig }, { signal }),
      );
      return { containerId };
    }),
    served(methods.startContainer, async ({ containerId = '' }, signal) => {
      const id = await ids.container(containerId);
      await runtime.startContainer(id, { signal });
      const path = kept.containers.get(id)?.logFile;
      if (path !== undefined) await logFiles?.start(await runtime.containerStatus(id), path);
      return {};
    }),
    served(methods.stopContainer, async ({ containerId = '', timeout = 0 }, signal) => {
      const id = await ids.findContainer(containerId);
      if (id !== undefined) await runtime.stopContainer(id, timeout, { signal });
      return {};
    }),
    served(methods.removeContainer, async ({ containerId = '' }, signal) => {
      const id = await ids.findContainer(containerId);
      if (id === undefined) return {};
      await runtime.removeContainer(id, { signal });
      exits.forget(id);
      kept.removeContainer(id);
      return {};
    }),
    served(methods.listContainers, async ({ filter }, signal) => ({
      containers: await list(containerFilterOf(filter), signal),
    })),
    servedStream(methods.streamContainers, async function* ({ filter }, signal) {
      for (const containers of pagesOf(await list(containerFilterOf(filter), signal))) yield { containers };
    }),
    served(methods.containerStatus, async ({ containerId = '', verbose = false }, signal) => {
      const id = await ids.container(containerId);
      const status = await runtime.containerStatus(id, { signal });
      await exits.completed(status);
      const details = { sandboxID: status.podSandboxId, removing: false, ...kept.containers.get(id) };
      return {
        status: containerStatusMessage(status, kept.containers.get(id)),
        ...(verbose ? { info: asMap({ info: JSON.stringify(details) }) } : {}),
      };
    }),
    served(methods.updateContainerResources, async ({ containerId = '', linux }, signal) => {
      const id = await ids.container(containerId);
      const resources = resourcesOf(linux);
      await runtime.updateContainerResources(id, resources, { signal });
      kept.updateResources(id, resources);
      return {};
    }),
    served(methods.reopenContainerLog, async ({ containerId = '' }, signal) => {
      const id = await ids.container(containerId);
      const { state } = await runtime.containerStatus(id, { signal });
      if (state !== 'CONTAINER_RUNNING') throw new RuntimeError('Failed', 'container is not running');
      await runtime.reopenContainerLog(id, { signal });
      await logFiles?.reopen(id);
      return {};
    }),
    served(methods.execSync, async ({ containerId = '', cmd = [], timeout = 0 }, signal) => {
      const id = await ids.container(containerId);
      const options = { signal, ...(timeout > 0 ? { timeoutMs: timeout * 1000 } : {}) };
      const { stdout, stderr, exitCode } = await runtime.execSync(id, cmd, options);
      return {
        stdout: stdout.subarray(0, MAX_OUTPUT_BYTES),
        stderr: stderr.subarray(0, MAX_OUTPUT_BYTES),
        exitCode,
      };
    }),
    served(methods.exec, async ({ cmd = [], ...request }, signal) => {
      const wanted = streamsOf(request);
      const containerId = await ids.container(request.containerId ?? '');
      return {
        url: streaming.commandUrl('exec', await runtime.exec({ containerId, cmd, ...wanted }, { signal }), wanted),
      };
    }),
    served(methods.attach, async (request, signal) => {
      const wanted = streamsOf(request);
      const containerId = await ids.container(request.containerId ?? '');
      return {
        url: streaming.commandUrl('attach', await runtime.attach({ containerId, ...wanted }, { signal }), wanted),
      };
    }),
    unsupported(methods.checkpointContainer, 'this runtime has no processes whose memory could be saved'),
  ];
}

/** The containers that a filter selects; the ids in it may be shortened. */
export async function listed(
  { runtime, ids }: ServerParts,
  { id: asked, podSandboxId: pod, ...rest }: ContainerFilter,
  signal: AbortSignal,
): ReturnType<ServerParts['runtime']['listContainers']> {
  const id = asked === undefined ? undefined : await ids.findContainer(asked);
  const podSandboxId = pod === undefined ? undefined : await ids.findSandbox(pod);
  if ((asked !== undefined && id === undefined) || (pod !== undefined && podSandboxId === undefined)) return [];
  const filter = {
    ...rest,
    ...(id === undefined ? {} : { id }),
    ...(podSandboxId === undefined ? {} : { podSandboxId }),
  };
  return runtime.listContainers(filter, { signal });
}

interface AskedStreams {
  readonly tty?: boolean;
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
}

function streamsOf({
  tty = false,
  stdin = false,
  stdout = false,
  stderr = false,
}: AskedStreams): Required<AskedStreams> {
  if (tty && stderr) throw new RuntimeError('Invalid', 'tty and stderr cannot both be true');
  if (!stdin && !stdout && !stderr) throw new RuntimeError('Invalid', 'one of stdin, stdout, or stderr must be set');
  return { tty, stdin, stdout, stderr };
}
