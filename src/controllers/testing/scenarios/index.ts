export { play, playWith, recordedLooks } from './play.ts';
export type { Scenario, ScenarioTopic } from './scenario-topic.ts';
export { ScenarioWorld, type WorldTime } from './scenario-world.ts';
export { see, type SeenKind } from './seen-kind.ts';
