import type { NodePlugins } from '../../protocol.ts';
import { linkToObject } from '../shell/app-context.ts';

const NODES = { group: '', resource: 'nodes' };
const MAX_NODES = 50;

/** Runtimes, networks, storage drivers and devices of nodes. */
export function NodesPart({ nodes }: { readonly nodes: readonly NodePlugins[] | undefined }) {
  if (nodes === undefined) return null;
  return (
    <section class="card wide">
      <h2>Nodes and what extends them</h2>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Node</th>
            <th scope="col">Runtime</th>
            <th scope="col">Network</th>
            <th scope="col">Storage drivers</th>
            <th scope="col">Devices</th>
          </tr>
        </thead>
        <tbody>
          {nodes.slice(0, MAX_NODES).map(({ node, runtime, network, drivers, devices, deviceDrivers }) => (
            <tr key={node}>
              <td>
                <a href={linkToObject(NODES, { name: node })}>{node}</a>
              </td>
              <td>{runtime ?? '–'}</td>
              <td class="wrap">{network?.join(', ') ?? '–'}</td>
              <td class="wrap">
                {drivers.map(({ name, allocatable, topology }) => (
                  <span key={name} class="chip" title={topology.join(', ')}>
                    {name}
                    {allocatable === undefined ? '' : <small> up to {allocatable} volumes</small>}
                  </span>
                ))}
              </td>
              <td class="wrap">
                {devices.map(({ resource, capacity, allocatable }) => (
                  <span key={resource} class="chip">
                    {resource} <small>{allocatable === capacity ? capacity : `${allocatable} of ${capacity}`}</small>
                  </span>
                ))}
                {deviceDrivers.map(({ driver, devices: count }) => (
                  <span key={driver} class="chip">
                    {driver} <small>{count} devices</small>
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {nodes.length > MAX_NODES ? <p class="hint">and {nodes.length - MAX_NODES} more nodes</p> : null}
    </section>
  );
}
