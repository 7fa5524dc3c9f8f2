import { expect, test } from 'vitest';
import { VirtualClock } from '../../../src/base/index.ts';
import { Framework } from '../../../src/scheduler/framework/framework.ts';
import {
  builtInPlugins,
  configuredScheduler,
  type Profile,
  readSchedulerConfiguration,
  schedulerConfigurationText,
} from '../../../src/scheduler/index.ts';
import { sharedContext } from '../../../src/scheduler/testing/objects.ts';
import { configurationCases } from './cases.ts';
import { readRecordedConfigurations, type RecordedConfiguration } from './recorded-configurations.ts';

const recorded = readRecordedConfigurations();

function ours(text: string): RecordedConfiguration {
  try {
    const configuration = readSchedulerConfiguration(text);
    const { profiles = [] } = configuredScheduler(configuration, { clock: new VirtualClock() });
    for (const profile of profiles) make(profile);
    return { written: schedulerConfigurationText(configuration) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function make(profile: Profile): void {
  void new Framework(profile, builtInPlugins, sharedContext());
}

test.each(configurationCases)('kube-scheduler says the same of $name', ({ name, text }) => {
  expect(ours(text)).toEqual(recorded[name]);
});
