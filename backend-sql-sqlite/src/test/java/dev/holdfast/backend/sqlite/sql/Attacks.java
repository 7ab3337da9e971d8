package dev.holdfast.backend.sqlite.sql;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The attacks: templates, and variants with odd characters between their tokens. */
final class Attacks {

  private static final String[] HIDDEN = {
    "_cf_KV",
    "\"_cf_KV\"",
    "[_cf_KV]",
    "`_cf_kv`",
    "'_cf_KV'",
    "main._cf_KV",
    "MAIN.\"_CF_KV\"",
    "main.'_cf_kv'",
    "main/**/._cf_KV",
    "_CF_kv",
    "\uFEFF_cf_KV",
    "main.\u000B_cf_KV"
  };

  /** Statements that read, change or name a hidden table. */
  private static final String[] ON_HIDDEN = {
    "SELECT * FROM %s",
    "SELECT key FROM %s NOT INDEXED",
    "SELECT count(*), group_concat(key) FROM %s",
    "SELECT (SELECT value FROM %s LIMIT 1)",
    "SELECT 1 WHERE 'hidden-key' IN (SELECT key FROM %s)",
    "WITH x AS (SELECT * FROM %s) SELECT * FROM x",
    "WITH x AS MATERIALIZED (SELECT key FROM %s) SELECT * FROM x",
    "SELECT * FROM t JOIN %s k ON 1",
    "SELECT * FROM t LEFT JOIN %s k ON k.key <> t.v",
    "SELECT * FROM t, %s",
    "SELECT * FROM (t, %s)",
    "SELECT v FROM t UNION ALL SELECT key FROM %s",
    "SELECT * FROM (SELECT * FROM (SELECT key FROM %s))",
    "SELECT json_group_array(key) FROM %s",
    "SELECT row_number() OVER (), key FROM %s",
    "SELECT DISTINCT hex(value) FROM %s",
    "VALUES ((SELECT key FROM %s))",
    "INSERT INTO t SELECT key FROM %s RETURNING v",
    "INSERT INTO t VALUES ((SELECT max(key) FROM %s)) RETURNING v",
    "UPDATE t SET v = (SELECT key FROM %s) RETURNING v",
    "UPDATE t SET v = k.key FROM %s k RETURNING v",
    "DELETE FROM t WHERE EXISTS (SELECT 1 FROM %s) RETURNING (SELECT 'hidden-key')",
    "INSERT INTO %s (key, value) VALUES ('a', x'01')",
    "REPLACE INTO %s (key, value) VALUES ('hidden-key', x'01')",
    "INSERT INTO %s (key) VALUES ('hidden-key') ON CONFLICT DO UPDATE SET value = x'02'",
    "UPDATE %s SET value = x'01'",
    "UPDATE OR IGNORE %s SET key = 'renamed'",
    "DELETE FROM %s",
    "DELETE FROM %s WHERE key > ''",
    "DROP TABLE %s",
    "DROP TABLE IF EXISTS %s",
    "ALTER TABLE %s RENAME TO mine",
    "ALTER TABLE %s ADD COLUMN x",
    "ALTER TABLE %s RENAME COLUMN value TO x",
    "CREATE TABLE c AS SELECT * FROM %s ;; SELECT * FROM c",
    "CREATE VIEW w AS SELECT * FROM %s ;; SELECT * FROM w",
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM %s; END ;; INSERT INTO t VALUES (9)",
    "CREATE TRIGGER tr AFTER INSERT ON t WHEN (SELECT count(*) FROM %s) BEGIN SELECT 1; END",
    "ANALYZE ;; SELECT * FROM sqlite_stat4, %s"
  };

  /** Statements that accept only a name without a schema. */
  private static final String[] ON_PLAIN_HIDDEN = {
    "CREATE INDEX i ON %s (value)",
    "CREATE UNIQUE INDEX i ON %s (1)",
    "CREATE TRIGGER tr AFTER INSERT ON %s BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER tr AFTER UPDATE ON %s BEGIN INSERT INTO t VALUES (new.value); END",
    "CREATE TABLE c (k REFERENCES %s (key))",
    "CREATE VIRTUAL TABLE f USING fts5(value, content=%s) ;; SELECT * FROM f",
    "ALTER TABLE t RENAME TO %s"
  };

  private static final String[] PRAGMAS = {
    "application_id=7",
    "automatic_index=0",
    "busy_timeout=7",
    "cache_size=7",
    "cache_spill=0",
    "cell_size_check=1",
    "checkpoint_fullfsync=1",
    "count_changes=1",
    "empty_result_callbacks=1",
    "full_column_names=1",
    "fullfsync=1",
    "journal_size_limit=7",
    "locking_mode=NORMAL",
    "max_page_count=4096",
    "query_only=1",
    "read_uncommitted=1",
    "secure_delete=1",
    "short_column_names=0",
    "synchronous=FULL",
    "temp_store=MEMORY",
    "threads=2",
    "trusted_schema=ON",
    "user_version=7",
    "wal_autocheckpoint=7",
    "writable_schema=ON",
    "analysis_limit=7",
    "journal_mode=DELETE",
    "mmap_size=4096",
    "data_version=1"
  };

  private static final String[] PRAGMA_FORMS = {
    "PRAGMA %s", "PRAGMA main.%s", "EXPLAIN PRAGMA %s", "EXPLAIN QUERY PLAN PRAGMA %s",
    "EXPLAIN \u000BPRAGMA %s", "PRAGMA \u000B%s", "\uFEFFPRAGMA %s", "; PRAGMA %s",
    "/**/PRAGMA/**/%s", "SELECT 1; PRAGMA %s", "--\nPRAGMA --\n%s", "EXPLAIN \uFEFFPRAGMA %s"
  };

  private static final String[] CALLS = {
    "SELECT %s(1)",
    "SELECT \"%s\"(1)",
    "SELECT [%s](1)",
    "SELECT `%s` (1)",
    "SELECT %s/**/(1)",
    "VALUES (%s(1))",
    "SELECT * FROM t WHERE v > %s(1)",
    "SELECT * FROM t ORDER BY %s(v)",
    "SELECT * FROM t LIMIT 1 OFFSET length(%s(1)) - 4",
    "SELECT max(%s(v)) FROM t",
    "SELECT 1 IS DISTINCT FROM %s(1)",
    "CREATE VIEW w AS SELECT v IS NOT DISTINCT FROM %s(1) FROM t ;; SELECT * FROM w",
    "CREATE INDEX i ON t (v) WHERE v IS NOT DISTINCT FROM %s(1)",
    "CREATE TABLE c (a, b AS (%s(a))) ;; INSERT INTO c VALUES (1) ;; SELECT * FROM c",
    "CREATE TABLE c (offset VARCHAR(10) CHECK (offset IN (%s(1)))) ;; INSERT INTO c VALUES (1)",
    "SELECT sum(v) OVER (ORDER BY %s(v)) FROM t",
    "SELECT CASE WHEN v THEN %s(1) END FROM t",
    "INSERT INTO t VALUES (%s(1))",
    "INSERT INTO t VALUES (1) RETURNING %s(1)",
    "UPDATE t SET v = %s(1)",
    "DELETE FROM t WHERE %s(1) = 'x'",
    "CREATE TABLE c AS SELECT %s(1)",
    "CREATE VIEW w AS SELECT %s(1) ;; SELECT * FROM w",
    "CREATE VIEW w(a) AS WITH x(b) AS (SELECT \"%s\"(1)) SELECT b FROM x ;; SELECT * FROM w",
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT %s(1); END ;; INSERT INTO t VALUES (1)",
    "CREATE TRIGGER tr AFTER INSERT ON t WHEN %s(1) BEGIN SELECT 1; END ;; INSERT INTO t VALUES"
        + " (1)",
    "CREATE TABLE c (a, b DEFAULT (%s(1))) ;; INSERT INTO c (a) VALUES (1)",
    "ALTER TABLE t ADD COLUMN b DEFAULT (%s(1))",
    "CREATE TABLE c (a CHECK (%s(a) > '')) ;; INSERT INTO c VALUES (1)",
    "SELECT * FROM full_text WHERE full_text MATCH 'some' AND rank MATCH '%s(1)' ORDER BY rank",
    "SELECT * FROM full_text WHERE full_text MATCH 'some' AND rank = '%s(1)' ORDER BY rank",
    "SELECT * FROM full_text WHERE full_text MATCH 'some' AND rank MATCH ? ORDER BY rank"
        + Attack.BINDING
        + "%s(1)",
    "SELECT * FROM full_text('some', '%s(1)') ORDER BY rank",
    "SELECT * FROM full_text('some', ?) ORDER BY rank" + Attack.BINDING + "%s(1)",
    "SELECT * FROM (SELECT rank AS r, a FROM full_text WHERE full_text MATCH 'some')"
        + " WHERE r = '%s(1)' ORDER BY r",
    "SELECT a FROM full_text, (SELECT '%s(1)' AS f) WHERE full_text MATCH 'some' AND rank = f"
        + " ORDER BY rank",
    "INSERT INTO full_text(full_text, rank) VALUES ('rank', '%s(1)') ;;"
        + " SELECT * FROM full_text WHERE full_text MATCH 'some' ORDER BY rank",
    "INSERT INTO full_text(rank, 'full_text') SELECT '%s(1)', 'rank' ;;"
        + " SELECT * FROM full_text('some') ORDER BY rank",
    "INSERT INTO main.\"full_text\"(rank, [full_text]) VALUES (?, 'rank')"
        + Attack.BINDING
        + "%s(1) ;; SELECT * FROM full_text('some') ORDER BY rank",
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO full_text(full_text, rank)"
        + " VALUES ('rank', '%s(1)'); END ;; INSERT INTO t VALUES (1) ;;"
        + " SELECT * FROM full_text('some') ORDER BY rank",
    "CREATE TRIGGER tr BEFORE INSERT ON full_text_data BEGIN SELECT %s(1); END ;;"
        + " INSERT INTO full_text VALUES ('x')",
    "CREATE TRIGGER tr BEFORE DELETE ON full_text_docsize BEGIN SELECT %s(1); END ;;"
        + " DELETE FROM full_text",
    "CREATE VIEW w AS SELECT 1 AS rowid, %s(1) AS a ;;"
        + " CREATE VIRTUAL TABLE f USING fts5(a, content=w) ;; INSERT INTO f(f) VALUES ('rebuild')",
    "CREATE VIEW w AS SELECT rowid, a FROM full_text WHERE full_text = 'some' AND rank = '%s(1)'"
        + " ORDER BY rank ;; CREATE VIRTUAL TABLE f USING fts5(a, content='w') ;;"
        + " INSERT INTO f(f) VALUES ('rebuild')"
  };

  private static final String[] MODULES = {
    "SELECT * FROM %s",
    "SELECT 1 AS x, * FROM t, %s",
    "SELECT * FROM main.%s",
    "SELECT * FROM t JOIN %s AS x",
    "SELECT * FROM (%s)",
    "SELECT * FROM (t, %s)",
    "WITH x AS (SELECT * FROM %s) SELECT * FROM x",
    "CREATE VIEW w AS SELECT * FROM %s ;; SELECT * FROM w",
    "INSERT INTO t SELECT 1 FROM %s",
    "SELECT (SELECT count(*) FROM %s)"
  };

  private static final String[] MODULE_NAMES = {
    "dbstat",
    "'dbstat'",
    "\"dbstat\"",
    "[DBSTAT]",
    "pragma_database_list",
    "'pragma_database_list'",
    "`pragma_database_list`",
    "'PRAGMA_function_list'",
    "pragma_compile_options",
    "'pragma_compile_options'",
    "'pragma_optimize'(65538)",
    "\"pragma_optimize\"(65538)",
    "'pragma_journal_mode'",
    "pragma_page_count()",
    "'pragma_module_list'",
    "dbstat\u2028",
    "pragma_database_list\u3000",
    "pragma_compile_options\u2028"
  };

  private static final String[] OTHERS = {
    "CREATE VIRTUAL TABLE f USING fts5(seq, name, file, content='pragma_database_list',"
        + " content_rowid=seq) ;; SELECT * FROM f",
    "CREATE VIRTUAL TABLE f USING fts5(name, content='dbstat') ;; SELECT * FROM f",
    "CREATE VIRTUAL TABLE f USING fts5(compile_options, content = 'PRAGMA_compile_options') ;;"
        + " SELECT * FROM f",
    "BEGIN",
    "COMMIT",
    "END",
    "ROLLBACK",
    "SAVEPOINT a",
    "RELEASE a",
    "EXPLAIN COMMIT",
    "; COMMIT",
    "/**/ROLLBACK",
    "SELECT 1; COMMIT",
    "\uFEFFROLLBACK",
    "--\nCOMMIT",
    "INSERT OR ROLLBACK INTO u VALUES (1)",
    "UPDATE OR ROLLBACK u SET v = 1",
    "INSERT OR \u000BROLLBACK INTO u VALUES (1)",
    "UPDATE OR \u000BROLLBACK u SET v = 1",
    "INSERT OR/**/ROLLBACK INTO u VALUES (1)",
    "CREATE TABLE c (v UNIQUE ON CONFLICT ROLLBACK) ;; INSERT INTO c VALUES (1), (1)",
    "CREATE TABLE c (v UNIQUE ON CONFLICT \u000BROLLBACK) ;; INSERT INTO c VALUES (1), (1)",
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT RAISE(ROLLBACK, 'x'); END ;;"
        + " INSERT INTO t VALUES (1)",
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT RAISE( \u000BROLLBACK, 'x'); END ;;"
        + " INSERT INTO t VALUES (1)",
    "ATTACH 'other.db' AS x",
    "ATTACH 'file:other.db?mode=rwc' AS x",
    "ATTACH ':memory:' AS x",
    "; ATTACH 'other.db' AS x",
    "VACUUM INTO 'copy.db'",
    "VACUUM main INTO 'copy.db'",
    "VACUUM",
    "SELECT load_extension('libm.so.6')",
    "SELECT \"load_extension\"('libm.so.6')",
    "CREATE TEMP TABLE x (v)",
    "CREATE TEMPORARY TABLE x AS SELECT 1",
    "CREATE TEMP VIEW x AS SELECT 1",
    "CREATE \u000BTEMP TABLE x (v)",
    "CREATE TABLE temp.x (v)",
    "CREATE TABLE 'temp'.x (v)",
    "CREATE TABLE \"temp\" . x (v)",
    "CREATE VIEW temp.x AS SELECT 1",
    "CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM u; END ;; INSERT INTO t VALUES (1)",
    "CREATE TRIGGER temp.x AFTER INSERT ON t BEGIN DELETE FROM u; END",
    "CREATE VIRTUAL TABLE x USING fts4(a)",
    "CREATE VIRTUAL TABLE x USING 'fts4'(a)",
    "CREATE VIRTUAL TABLE x USING \"fts3\"(a)",
    "CREATE \u000BVIRTUAL TABLE x USING 'fts4'(a)",
    "CREATE VIRTUAL \u000BTABLE x USING fts3(a)",
    "CREATE VIRTUAL TABLE x USING dbstat",
    "CREATE VIRTUAL TABLE x USING fts4aux(full_text)",
    "CREATE VIRTUAL TABLE temp.x USING fts5(a)",
    "EXPLAIN \u000BPRAGMA writable_schema=ON ;; UPDATE sqlite_schema SET name = 'mine', tbl_name ="
        + " 'mine', sql = replace(sql, '_cf_KV', 'mine') WHERE name = '_cf_KV' ;;"
        + " EXPLAIN \u000BPRAGMA writable_schema=RESET ;; SELECT * FROM mine",
    "EXPLAIN \u000BPRAGMA temp_store_directory='.'",
    "EXPLAIN PRAGMA temp_store_directory='.'",
    "SELECT * FROM 'pragma_optimize'(65538) ;; SELECT * FROM sqlite_stat4",
    "SELECT 'a' AS \"b\" FROM t WHERE v = $a(') ;; PRAGMA writable_schema=ON",
    "SELECT $a(') FROM _cf_KV -- '" + Attack.BINDING + "x",
    "SELECT $a::b('), key FROM _cf_KV -- '" + Attack.BINDING + "x",
    "DELETE FROM full_text_data",
    "UPDATE full_text_config SET v = 5",
    "CREATE INDEX i ON full_text_data (block)",
    "ALTER TABLE full_text_data RENAME TO mine",
    "ALTER TABLE full_text_config ADD COLUMN x",
    "DROP TABLE full_text_content",
    "INSERT INTO sqlite_master VALUES ('view', 'x', 'x', 0, 'CREATE VIEW x AS SELECT 1')"
  };

  /** Texts that SQLite, or a hasty reader, may take for a space or for nothing. */
  private static final String[] ODD = {
    "\u000B", " \u000B", "\uFEFF", " \uFEFF", "\0", "\u00A0", "\f", "\r", "/**/", "/*'*/", "--\n",
    "--'\n", ";", "\u0085", "\u200B", "\u2028", "$a(')", "\u0001", "\\", "''"
  };

  private static final Pattern TOKEN =
      Pattern.compile("'[^']*'|\"[^\"]*\"|`[^`]*`|\\[[^]]*]|\\w+|\\s+|.", Pattern.DOTALL);

  private Attacks() {}

  static List<Attack> templates() {
    Set<Attack> attacks = new LinkedHashSet<>();
    for (String hidden : HIDDEN) {
      fill(attacks, ON_HIDDEN, hidden);
      if (!hidden.contains(".") && !hidden.contains("/")) {
        fill(attacks, ON_PLAIN_HIDDEN, hidden);
      }
    }
    for (String pragma : PRAGMAS) {
      fill(attacks, PRAGMA_FORMS, pragma);
    }
    fill(attacks, CALLS, "canary");
    fill(attacks, CALLS, "CANARY");
    for (String module : MODULE_NAMES) {
      fill(attacks, MODULES, module);
    }
    fill(attacks, OTHERS, "");
    return List.copyOf(attacks);
  }

  /** {@return attacks that end the process if nothing stops them} */
  static List<Attack> deadly() {
    Set<Attack> attacks = new LinkedHashSet<>();
    String[] calls = new String[CALLS.length];
    for (String function : List.of("replicate", "padl", "padr", "padc")) {
      for (int each = 0; each < CALLS.length; each++) {
        calls[each] = CALLS[each].replace("%s(1)", "%s('x', 4294967297)");
        if (calls[each].contains("'%s('x'")) {
          calls[each] = calls[each].replace("%s('x', ", "%s(");
        }
      }
      fill(attacks, calls, function);
    }
    return List.copyOf(attacks);
  }

  private static void fill(Set<Attack> attacks, String[] templates, String value) {
    for (String template : templates) {
      attacks.add(Attack.of(template.replace("%s", value).split(" ;; ")));
    }
  }

  /** {@return attacks with an odd text at one or two random borders of tokens} */
  static List<Attack> odd(List<Attack> attacks, int count, Random random) {
    List<Attack> odd = new ArrayList<>(count);
    for (int each = 0; each < count; each++) {
      Attack attack = attacks.get(random.nextInt(attacks.size()));
      List<String> steps = new ArrayList<>(attack.steps());
      int step = random.nextInt(steps.size());
      for (int times = 1 + random.nextInt(2); times > 0; times--) {
        List<Integer> borders = borders(steps.get(step));
        int border = borders.get(random.nextInt(borders.size()));
        steps.set(step, with(steps.get(step), border, ODD[random.nextInt(ODD.length)]));
      }
      odd.add(new Attack(List.copyOf(steps), false));
    }
    return odd;
  }

  /** {@return attacks with each odd text at each border of tokens} */
  static List<Attack> allOdd(List<Attack> attacks) {
    List<Attack> odd = new ArrayList<>();
    for (Attack attack : attacks) {
      for (int step = 0; step < attack.steps().size(); step++) {
        for (int border : borders(attack.steps().get(step))) {
          for (String text : ODD) {
            List<String> steps = new ArrayList<>(attack.steps());
            steps.set(step, with(steps.get(step), border, text));
            odd.add(new Attack(List.copyOf(steps), false));
          }
        }
      }
    }
    return odd;
  }

  private static String with(String text, int border, String odd) {
    return text.substring(0, border) + odd + text.substring(border);
  }

  private static List<Integer> borders(String step) {
    List<Integer> borders = new ArrayList<>();
    borders.add(0);
    Matcher token = TOKEN.matcher(Attack.sql(step));
    while (token.find()) {
      borders.add(token.end());
    }
    return borders;
  }
}
