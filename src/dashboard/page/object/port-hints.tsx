import type { KubernetesObject } from '../../protocol.ts';
import { memberAt } from '../cluster/object-parts.ts';
import type { ResourceKind } from '../cluster/resource-kind.ts';
import { inNamespace, kubectl } from '../parts/kubectl-command.ts';
import { KubectlLine } from '../parts/kubectl-line.tsx';
import { ForwardedPort, useForwardedPorts } from './forwarded-ports.tsx';

interface Port {
  readonly name?: string;
  readonly port?: number;
  readonly containerPort?: number;
  readonly protocol?: string;
}

const FIRST_UNPRIVILEGED = 1024;

/** The ports of a pod or Service: a port of this machine that leads to a pod's, where the dashboard runs on this machine, and the command that does the same. */
export function PortHints({ kind, object }: { readonly kind: ResourceKind; readonly object: KubernetesObject }) {
  const forwarded = useForwardedPorts();
  const canForward = kind.subresources.has('portforward');
  const ports = kind.subresources.has('portforward')
    ? containerPorts(object)
    : kind.resource === 'services' && kind.group === ''
      ? portsAt(object, ['spec', 'ports'])
      : [];
  const tcp = ports.filter(({ protocol }) => protocol === undefined || protocol === 'TCP');
  if (tcp.length === 0) return null;
  const { namespace, name } = object.metadata ?? {};
  return (
    <section class="card">
      <h2>Ports</h2>
      <ul class="pairs">
        {tcp.map(({ port, containerPort, name: title }) => {
          const target = port ?? containerPort ?? 0;
          const local = target < FIRST_UNPRIVILEGED ? target + 8000 : target;
          const command = kubectl(
            'port-forward',
            `${kind.kind.toLowerCase()}/${name}`,
            `${local}:${target}`,
            ...inNamespace(namespace),
          );
          const open = forwarded?.items.filter(
            (each) => canForward && each.namespace === namespace && each.pod === name && each.port === target,
          );
          return (
            <li key={`${title}/${target}`}>
              <span class="pair-name">
                {target} {title}
              </span>
              {forwarded === undefined
                ? null
                : open?.map((each) => <ForwardedPort key={each.id} forward={each} ports={forwarded} />)}
              {canForward && forwarded !== undefined && open?.length === 0 ? (
                <button
                  type="button"
                  aria-label={`Forward port ${target}`}
                  onClick={() => void forwarded.open({ namespace: namespace ?? '', pod: name ?? '', port: target })}
                >
                  Forward
                </button>
              ) : null}
              <KubectlLine command={command} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function containerPorts(object: KubernetesObject): Port[] {
  const containers = memberAt(object, ['spec', 'containers']);
  return Array.isArray(containers) ? containers.flatMap((container) => portsAt(container, ['ports'])) : [];
}

function portsAt(value: unknown, path: readonly string[]): Port[] {
  const ports = memberAt(value, path);
  return Array.isArray(ports) ? (ports as Port[]) : [];
}
