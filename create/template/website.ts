import { app, controller, Deployment, resource, Service } from 'keelson';
import { z } from 'zod';

/** The kind that this operator brings along: `kubectl get websites`. */
export const Website = resource('example.com/v1', 'Website', {
  spec: z.object({
    image: z.string().default('nginx:1.29'),
    replicas: z.int().min(1).max(10).default(1),
  }),
  status: z.object({ ready: z.int(), address: z.string() }),
  columns: { Image: (site) => site.spec.image, Ready: (site) => site.status.ready },
});

/** Every Website has a Deployment of its image, and a Service in front of it. */
const websites = controller(Website, {
  owns: [Deployment, Service],
  async reconcile({ metadata: { name, namespace }, spec }, { desire, event }) {
    const labels = { website: name };
    const container = { name: 'web', image: spec.image, ports: [{ containerPort: 80 }] };
    const { status } = await desire(Deployment, {
      metadata: { name },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    await desire(Service, { metadata: { name }, spec: { selector: labels, ports: [{ port: 80 }] } });
    const ready = status?.readyReplicas ?? 0;
    if (ready === spec.replicas) event({ reason: 'Ready', message: `${ready} of ${spec.replicas} are up` });
    return { ready, address: `http://${name}.${namespace}.svc` };
  },
});

export const operator = () => app('PROJECT_NAME', [websites], { resources: [Website] });
