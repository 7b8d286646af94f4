// SPDX-License-Identifier: Apache-2.0
/** What one release of the PJRT C API's header has beyond another, read from the two texts. */

export interface HeaderDiff {
  /** New functions of the table `PJRT_Api`. */
  readonly functions: Changes;
  /** New and changed structs by name; `grown` names the fields that are new. */
  readonly structs: Changes & {
    readonly grown: readonly { readonly name: string; readonly fields: readonly string[] }[];
  };
  /** New values of enums, as `PJRT_Error_Code_OK`. */
  readonly values: Changes;
}

export interface Changes {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function diffHeaders(before: string, after: string): HeaderDiff {
  const [old, now] = [before, after].map(readHeader) as [Header, Header];
  const grown = [...now.structs].flatMap(([name, fields]) => {
    const known = old.structs.get(name);
    const added = known ? fields.filter((field) => !known.includes(field)) : [];
    return added.length > 0 ? [{ name, fields: added }] : [];
  });
  return {
    functions: changes(old.functions, now.functions),
    structs: { ...changes([...old.structs.keys()], [...now.structs.keys()]), grown },
    values: changes(old.values, now.values),
  };
}

interface Header {
  readonly functions: readonly string[];
  /** Names of the fields, by struct. */
  readonly structs: ReadonlyMap<string, readonly string[]>;
  readonly values: readonly string[];
}

const TABLE = 'PJRT_Api';

function readHeader(text: string): Header {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
  const bodies = (keyword: string): [string, string][] =>
    [...code.matchAll(new RegExp(`\\b${keyword}\\s+(\\w+)\\s*\\{`, 'g'))].map((match) => [
      match[1] ?? '',
      bodyAt(code, match.index + match[0].length),
    ]);
  const structs = new Map(
    bodies('struct')
      .filter(([name]) => name !== TABLE)
      .map(([name, body]) => [name, fieldsOf(body)]),
  );
  const table = bodies('struct').find(([name]) => name === TABLE)?.[1] ?? '';
  const functions = [...table.matchAll(/_PJRT_API_STRUCT_FIELD\(\s*(\w+)\s*\)/g)].map(([, name = '']) => name);
  const values = [...code.matchAll(/\benum\b[^{;]*\{([^}]*)\}/g)].flatMap(([, body = '']) =>
    [...body.matchAll(/^\s*(\w+)\s*(?:=[^,]*)?,?\s*$/gm)].map(([, name = '']) => name),
  );
  // Older headers state the sizes of structs as enums.
  return { functions, structs, values: values.filter((name) => !name.endsWith('_STRUCT_SIZE')) };
}

/** The text up to the brace that closes one before `from`. */
function bodyAt(code: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < code.length && depth > 0; at += 1) depth += code[at] === '{' ? 1 : code[at] === '}' ? -1 : 0;
  return code.slice(from, at - 1);
}

/** The names before `;`, among them those of function pointers, arrays, and structs and unions inside. */
function fieldsOf(body: string): string[] {
  return body
    .split(';')
    .map((field) => /\(\*(\w+)\)/.exec(field)?.[1] ?? /(\w+)\s*(?:\[[^\]]*\])?\s*$/.exec(field)?.[1])
    .filter((name) => name !== undefined);
}

function changes(before: readonly string[], after: readonly string[]): Changes {
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
  };
}
