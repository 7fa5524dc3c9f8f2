import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import { aborted, type Runnable, runTogether, watchFiles } from '../../../base/index.ts';
import { encodeYaml } from '../../../api/index.ts';
import { type Client, ServiceCIDR } from '../../../client/index.ts';
import { app } from '../../../kit/index.ts';
import { FAMILIES, Nft, nftablesProxy, type ProxyAddress, ProxyServer, removeRules } from '../../../network/index.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { ConnectedProgram, ServerChoice, StandaloneProgram, StandaloneTools } from '../program.ts';
import { shownConfiguration } from '../settings/written-values.ts';
import { setConntrackSysctls } from './conntrack-sysctls.ts';
import { machineFamilies, machineProblem } from './machine.ts';
import { proxyPage } from './proxy-pages.ts';
import { ruleOptions } from './rule-options.ts';
import { splitPlace } from './settings/check-settings.ts';
import { proxyConfiguration, type ProxySettings } from './settings/proxy-fields.ts';
import { ignoredFlags, readProxySettings } from './settings/read-settings.ts';

/** `keelson proxy`. */
export async function standaloneProxy(
  flags: FlagValues,
  tools: StandaloneTools,
): Promise<StandaloneProgram | undefined> {
  const settings = readProxySettings(flags);
  const { log, print } = tools;
  const written = flags.text('write-config-to') ?? '';
  if (written !== '') {
    await writeFile(written, encodeYaml(shownConfiguration(proxyConfiguration, settings)));
    return undefined;
  }
  const nft = new Nft();
  const problem = await machineProblem(nft);
  if (problem !== undefined) throw new FlagError(problem);
  if (flags.isSet('cleanup')) {
    await removeRules(nft, FAMILIES);
    return undefined;
  }
  const ignored = ignoredFlags(flags);
  if (ignored.length > 0) log.warn('flags do not count beside --config', { flags: ignored.join(' ') });
  const { conntrack, oomScoreAdj } = settings;
  const changeMachine = (): Promise<void> =>
    setConntrackSysctls(conntrack, { processors: availableParallelism(), log });
  if (flags.isSet('init-only')) {
    await changeMachine();
    return undefined;
  }
  const node = settings.hostnameOverride === '' ? hostname().toLowerCase() : settings.hostnameOverride;
  return {
    server: serverChoice(settings, flags),
    async run(connected, signal) {
      await writeFile('/proc/self/oom_score_adj', String(oomScoreAdj)).catch((error: unknown) =>
        log.warn('score for the kernel, when memory is short, cannot be set', { error }),
      );
      await changeMachine();
      print(`forwarding Services on node "${node}"`);
      const config = flags.text('config') ?? '';
      const tasks: Runnable[] = [{ run: (scope) => runProxy(connected, { settings, node, nft }, scope) }];
      if (config !== '') tasks.push({ run: (scope) => failWhenChanged(config, tools, scope) });
      await runTogether(tasks, signal);
    },
  };
}

interface ProxyWork {
  readonly settings: ProxySettings;
  readonly node: string;
  readonly nft: Nft;
}

async function runProxy(
  { client, clock, log }: ConnectedProgram,
  { settings, node, nft }: ProxyWork,
  signal: AbortSignal,
): Promise<void> {
  const { nftables, healthzBindAddress, metricsBindAddress, bindAddressHardFail } = settings;
  const part = nftablesProxy({
    node,
    families: machineFamilies(),
    rules: ruleOptions(settings),
    minSyncPeriod: nftables.minSyncPeriod,
    syncPeriod: nftables.syncPeriod,
    healthz: addressOf(healthzBindAddress),
    arePortsRequired: bindAddressHardFail,
    watchesServiceCidrs: await hasServiceCidrs(client, signal),
    nft,
  });
  const proxy = app('kube-proxy', [part]);
  const tasks: Runnable[] = [{ run: (scope) => proxy.run(client, scope) }];
  const metrics = addressOf(metricsBindAddress);
  if (metrics !== undefined)
    tasks.push(
      new ProxyServer({
        name: 'metrics',
        ...metrics,
        isRequired: bindAddressHardFail,
        answer: (question) => proxyPage(question, { settings, registries: () => proxy.registries }),
        clock,
        log,
      }),
    );
  await runTogether(tasks, signal);
}

/** Servers before Kubernetes 1.33 do not have them; one that cannot be asked now may have them. */
async function hasServiceCidrs(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    return (await client.apis.find(ServiceCIDR.apiVersion, ServiceCIDR.plural, { signal })) !== undefined;
  } catch {
    return true;
  }
}

/** A proxy whose file has changed ends, so that it is started with the new one. */
async function failWhenChanged(
  path: string,
  { clock, log }: Pick<StandaloneTools, 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const known = await readFile(path, 'utf8');
  const change = new AbortController();
  using _watched = watchFiles([path], {
    clock,
    known: [known],
    changed: () => change.abort(),
    failed: (error) => log.warn('configuration file cannot be read', { path, error }),
  });
  await aborted(AbortSignal.any([signal, change.signal]));
  if (!signal.aborted) throw new Error("content of the proxy server's configuration file was updated");
}

function addressOf(text: string): ProxyAddress | undefined {
  const place = splitPlace(text);
  return place === undefined ? undefined : { host: place.host, port: Number(place.port) };
}

function serverChoice(
  { clientConnection: { kubeconfig, qps, burst } }: ProxySettings,
  flags: FlagValues,
): ServerChoice {
  return {
    kubeconfig: kubeconfig === '' ? undefined : kubeconfig,
    server: flags.text('master'),
    pace: qps > 0 ? { perSecond: qps, burst: Math.max(1, burst) } : undefined,
    isNamed: true,
  };
}
