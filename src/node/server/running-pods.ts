import { CONTAINER_NAME, type ContainerStatus, type PodSandboxStatus, type RuntimeService } from '../runtime/index.ts';

/** The pods that the runtime has running containers or sandboxes of, as `/runningpods/` lists them. */
export async function runningPods(runtime: RuntimeService): Promise<object> {
  const [sandboxes, containers] = await Promise.all([
    runtime.listPodSandbox({ state: 'SANDBOX_READY' }),
    runtime.listContainers({ state: 'CONTAINER_RUNNING' }),
  ]);
  const bySandbox = new Map(sandboxes.map(({ id }): [string, ContainerStatus[]] => [id, []]));
  for (const container of containers) bySandbox.get(container.podSandboxId)?.push(container);
  return {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: {},
    items: sandboxes.map((sandbox) => podOf(sandbox, bySandbox.get(sandbox.id) ?? [])),
  };
}

function podOf({ metadata: { name, namespace, uid } }: PodSandboxStatus, running: readonly ContainerStatus[]): object {
  return {
    metadata: { name, namespace, uid },
    spec: {
      containers: running.map(({ labels, metadata, image }) => ({
        name: labels[CONTAINER_NAME] ?? metadata.name,
        image: image.image,
        resources: {},
      })),
    },
    status: {},
  };
}
