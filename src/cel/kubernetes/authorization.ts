import type { Environment } from '../environment.ts';
import { BOOL } from '../type-terms/index.ts';
import { baseEnvironment } from './base-environment.ts';
import { compileExpression, type ExpressionResult } from './compile-expression.ts';
import { DeclProvider } from './decl-provider.ts';
import { type DeclType, declared, listType, mapType, structType, UNBOUNDED } from './decl-type.ts';

/** The environment of match conditions of authorization webhooks: `request` is a SubjectAccessReview's spec. */
export function authorizationEnvironment(): Environment {
  const request = accessReviewType();
  return baseEnvironment().extend({
    variables: [{ name: 'request', type: request.type }],
    types: [new DeclProvider([request], { allowsKeywords: true })],
  });
}

/** Compiles a match condition of an authorization webhook. */
export function compileAuthorizationCondition(environment: Environment, text: string): ExpressionResult {
  return compileExpression(environment, text, { returnTypes: [BOOL] });
}

function accessReviewType(): DeclType {
  const texts = listType(declared.string, UNBOUNDED);
  const requirement = structType('kubernetes.SelectorRequirement', {
    key: declared.string,
    operator: declared.string,
    values: texts,
  });
  const selector = { rawSelector: declared.string, requirements: listType(requirement, UNBOUNDED) };
  const { string } = declared;
  const resource = structType('kubernetes.ResourceAttributes', {
    namespace: string,
    verb: string,
    group: string,
    version: string,
    resource: string,
    subresource: string,
    name: string,
    fieldSelector: structType('kubernetes.FieldSelectorAttributes', selector),
    labelSelector: structType('kubernetes.LabelSelectorAttributes', selector),
  });
  return structType('kubernetes.SubjectAccessReviewSpec', {
    resourceAttributes: resource,
    nonResourceAttributes: structType('kubernetes.NonResourceAttributes', { path: string, verb: string }),
    user: string,
    groups: texts,
    extra: mapType(string, texts, UNBOUNDED),
    uid: string,
  });
}
