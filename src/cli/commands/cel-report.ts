import { encodeJson } from '../../api/index.ts';
import {
  Double,
  isList,
  isMap,
  limits,
  listItems,
  literalText,
  mapFind,
  mapKeys,
  type Value,
} from '../../cel/index.ts';
import type { ExpressionReport } from './cel-evaluation.ts';

const NO_BOUND = 2n ** 64n - 1n;

export interface ReportTexts {
  readonly text?: string;
  readonly warning?: string;
  /** Set when the evaluation failed. */
  readonly failure?: string;
}

/** Formats the report about an expression. */
export function describeReport(report: ExpressionReport, format: 'text' | 'json'): ReportTexts {
  const { evaluation, isTooCostly } = report;
  const warning = isTooCostly
    ? `warning: as a rule it would be refused: its estimated cost is over ${limits.ruleEstimate}; maxItems, maxLength and maxProperties lower it`
    : undefined;
  const facts = format === 'json' ? asJson(report) : asText(report);
  if (evaluation.ok) return { text: facts, warning };
  return { warning, failure: `Cannot evaluate the expression: ${evaluation.error}\n${facts}` };
}

function asText({ expression, estimate: { min, max }, evaluation }: ExpressionReport): string {
  const estimated = min === max ? `${min}` : `${min} to ${max === NO_BOUND ? 'no bound' : max}`;
  return [
    ...(evaluation.ok ? [`result  ${literalText(evaluation.value)}`] : []),
    `type    ${expression.typeName}`,
    `cost    ${evaluation.cost} (estimated ${estimated}, limit ${limits.expressionCost})`,
  ].join('\n');
}

function asJson({ expression, estimate, evaluation }: ExpressionReport): string {
  return encodeJson({
    ...(evaluation.ok ? { result: jsonOf(evaluation.value) } : {}),
    type: expression.typeName,
    cost: evaluation.cost,
    estimatedCost: estimate,
  });
}

/** Values that JSON cannot express are written as in an expression. */
function jsonOf(value: Value): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Double) return Number.isFinite(value.value) ? value.value : literalText(value);
  if (isList(value)) return listItems(value).map(jsonOf);
  if (!isMap(value)) return literalText(value);
  return Object.fromEntries(
    [...mapKeys(value)].map((key) => [
      typeof key === 'string' ? key : literalText(key),
      jsonOf(mapFind(value, key) ?? null),
    ]),
  );
}
