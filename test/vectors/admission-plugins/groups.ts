import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookServers } from '../conversion/hook-server.ts';
import { imageHook, imageKubeconfig, imageScenarios, openScenarios } from './image-reviews.ts';
import { HOOK, type PluginScenario } from './scenario.ts';
import { configurations, configured, unconfigured } from './scenarios.ts';

/** Scenarios that are played on one server, and what that server runs. */
export interface ScenarioGroup {
  readonly name: string;
  readonly scenarios: readonly PluginScenario[];
  readonly plugins: readonly string[];
  readonly configurations?: (hooks: HookServers) => Readonly<Record<string, object>>;
}

const UNCONFIGURED = [
  'AlwaysAdmit',
  'AlwaysPullImages',
  'LimitPodHardAntiAffinityTopology',
  'ExtendedResourceToleration',
  'DenyServiceExternalIPs',
  'OwnerReferencesPermissionEnforcement',
  'NamespaceExists',
];

export const groups: readonly ScenarioGroup[] = [
  { name: 'unconfigured', scenarios: unconfigured, plugins: UNCONFIGURED },
  {
    name: 'configured',
    scenarios: configured,
    plugins: [...Object.keys(configurations), 'NamespaceAutoProvision'],
    configurations: () => configurations,
  },
  { name: 'images', scenarios: imageScenarios, plugins: ['ImagePolicyWebhook'], configurations: imagePolicy(false) },
  { name: 'open', scenarios: openScenarios, plugins: ['ImagePolicyWebhook'], configurations: imagePolicy(true) },
];

function imagePolicy(defaultAllow: boolean): NonNullable<ScenarioGroup['configurations']> {
  return (hooks) => {
    const { clientConfig } = hooks.conversionOf({ name: HOOK });
    const kubeConfigFile = join(mkdtempSync(join(tmpdir(), 'keelson-images-')), 'kubeconfig');
    writeFileSync(kubeConfigFile, imageKubeconfig(clientConfig));
    return { ImagePolicyWebhook: { imagePolicy: { kubeConfigFile, retryBackoff: 1, defaultAllow } } };
  };
}

export const startHooks = (): Promise<HookServers> => HookServers.start([imageHook]);
