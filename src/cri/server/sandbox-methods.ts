// The calls of the Container Runtime Interface about pods.
import { type OpenPort, RuntimeError, type PodSandboxFilter, type StreamEndpoint } from '../../node/index.ts';
import type { ServedMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { type podSandbox, RuntimeService as methods } from '../protocol/runtime-v1.ts';
import { asMap } from '../to-messages.ts';
import { resourcesOf, sandboxConfigOf, sandboxFilterOf } from './read-messages.ts';
import { pagesOf } from './pages.ts';
import type { ServerParts } from './server-parts.ts';
import { served, servedStream } from './served-method.ts';
import { containerStatusMessage, listedSandboxMessage, nanoseconds, sandboxStatusMessage } from './write-messages.ts';

export function sandboxMethods(parts: ServerParts): readonly ServedMethod[] {
  const { runtime, ids, kept, streaming, clock, exits } = parts;
  const list = async (
    filter: PodSandboxFilter,
    signal: AbortSignal,
  ): Promise<readonly MessageOf<typeof podSandbox>[]> => {
    const { id: asked, ...rest } = filter;
    const id = asked === undefined ? undefined : await ids.findSandbox(asked);
    if (asked !== undefined && id === undefined) return [];
    const found = await runtime.listPodSandbox({ ...rest, ...(id === undefined ? {} : { id }) }, { signal });
    return found.map((each) => listedSandboxMessage(each, kept.sandboxes.get(each.id)));
  };
  return [
    served(methods.runPodSandbox, async ({ config: message, runtimeHandler = '' }, signal) => {
      const config = sandboxConfigOf(message);
      if (runtimeHandler !== '') await checkHandler(parts, runtimeHandler, signal);
      const options = { signal, ...(runtimeHandler === '' ? {} : { runtimeHandler }) };
      const podSandboxId = await kept.addSandbox(config, runtimeHandler, () => runtime.runPodSandbox(config, options));
      return { podSandboxId };
    }),
    served(methods.stopPodSandbox, async ({ podSandboxId = '' }, signal) => {
      const id = await ids.findSandbox(podSandboxId);
      if (id !== undefined) await runtime.stopPodSandbox(id, { signal });
      return {};
    }),
    served(methods.removePodSandbox, async ({ podSandboxId = '' }, signal) => {
      const id = await ids.findSandbox(podSandboxId);
      if (id === undefined) return {};
      await runtime.removePodSandbox(id, { signal });
      exits.forgetSandbox(id);
      kept.removeSandbox(id);
      return {};
    }),
    served(methods.podSandboxStatus, async ({ podSandboxId = '', verbose = false }, signal) => {
      const id = await ids.sandbox(podSandboxId);
      const { status, containersStatuses = [] } = await runtime.podSandboxStatus(id, { signal });
      for (const container of containersStatuses) await exits.completed(container);
      return {
        status: sandboxStatusMessage(status, kept.sandboxes.get(id)),
        containersStatuses: containersStatuses.map((each) =>
          containerStatusMessage(each, kept.containers.get(each.id)),
        ),
        timestamp: nanoseconds(clock.now()),
        ...(verbose
          ? { info: asMap({ info: JSON.stringify({ sandbox: status, kept: kept.sandboxes.get(id) }) }) }
          : {}),
      };
    }),
    served(methods.listPodSandbox, async ({ filter }, signal) => ({
      items: await list(sandboxFilterOf(filter), signal),
    })),
    servedStream(methods.streamPodSandboxes, async function* ({ filter }, signal) {
      for (const podSandboxes of pagesOf(await list(sandboxFilterOf(filter), signal))) yield { podSandboxes };
    }),
    served(methods.portForward, async ({ podSandboxId = '', port = [] }, signal) => {
      const id = await ids.sandbox(podSandboxId);
      const { status } = await runtime.podSandboxStatus(id, { signal });
      if (status.state !== 'SANDBOX_READY')
        throw new RuntimeError('Failed', `sandbox container "${id}" is not running`);
      const endpoint: StreamEndpoint<OpenPort> = await runtime.portForward(
        { podSandboxId: id, ports: port },
        { signal },
      );
      return { url: streaming.portUrl(endpoint, `${status.metadata.namespace}/${status.metadata.name}`, port) };
    }),
    served(methods.updatePodSandboxResources, async ({ podSandboxId = '', resources }) => {
      await ids.sandbox(podSandboxId);
      resourcesOf(resources); // the limits of pods are in cgroups that clients make; containers have calls of their own
      return {};
    }),
  ];
}

async function checkHandler({ runtime }: ServerParts, handler: string, signal: AbortSignal): Promise<void> {
  const { runtimeHandlers } = await runtime.status({ signal });
  if (!runtimeHandlers.some(({ name }) => name === handler))
    throw new RuntimeError('Failed', `failed to get sandbox runtime: no runtime for "${handler}" is configured`);
}
