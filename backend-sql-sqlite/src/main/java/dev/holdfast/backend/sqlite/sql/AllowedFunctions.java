package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.AsciiCase;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The functions that statements may use: the functions of the reference runtime. The other
 * functions of the library can reveal facts about the machine, load code, or are missing in other
 * builds of SQLite.
 */
final class AllowedFunctions {

  private static final Set<String> NAMES =
      Stream.of(
              // Core.
              "abs changes char coalesce concat concat_ws format glob hex ifnull if iif instr",
              "last_insert_rowid length like likelihood likely lower ltrim max min nullif",
              "octet_length printf quote random randomblob replace round rtrim sign soundex",
              "substr substring total_changes trim typeof unhex unicode unlikely upper zeroblob",
              // Dates and times.
              "date time datetime julianday unixepoch strftime timediff",
              "current_date current_time current_timestamp",
              // Aggregates and windows.
              "avg count group_concat string_agg sum total",
              "row_number rank dense_rank percent_rank cume_dist ntile lag lead",
              "first_value last_value nth_value",
              // Mathematics.
              "acos acosh asin asinh atan atan2 atanh ceil cos cosh degrees exp floor ln log log2",
              "mod pi pow radians sin sinh sqrt tan tanh trunc",
              // JSON.
              "-> ->> json json_array json_array_length json_extract json_insert json_object",
              "json_patch json_remove json_replace json_set json_type json_valid json_quote",
              "json_group_array json_group_object json_each json_tree",
              "jsonb jsonb_array jsonb_extract jsonb_insert jsonb_object jsonb_patch",
              "jsonb_remove jsonb_replace jsonb_set jsonb_group_array jsonb_group_object",
              "jsonb_each jsonb_tree",
              // Full text and R-trees.
              "match highlight bm25 snippet")
          .flatMap(line -> Stream.of(line.split(" ")))
          .collect(Collectors.toUnmodifiableSet());

  /** Other functions of the library, and of other builds of it. */
  private static final Set<String> REFUSED =
      Stream.of(
              // Of SQLite.
              "ceiling json_array_insert json_error_position json_pretty jsonb_array_insert",
              "load_extension log10 median percentile percentile_cont percentile_disc power",
              "sqlite_compileoption_get sqlite_compileoption_used sqlite_log sqlite_source_id",
              "sqlite_version subtype unistr unistr_quote sqlite_offset",
              // Of full text and R-trees.
              "fts3_tokenizer fts5 fts5_get_locale fts5_insttoken fts5_locale fts5_source_id",
              "matchinfo offsets optimize rtreecheck rtreedepth rtreenode geopoly_debug",
              // Of the driver.
              "atn2 charindex cot coth difference leftstr lower_quartile mode padc padl padr"
                  + " proper",
              "replicate reverse rightstr square stdev strfilter upper_quartile variance",
              // Of SQLite's shell.
              "readfile writefile edit eval fsdir lsmode sqlite_attach sqlite_detach")
          .flatMap(line -> Stream.of(line.split(" ")))
          .collect(Collectors.toUnmodifiableSet());

  /** Functions that SQLite calls for ALTER TABLE; it rejects all other calls of them. */
  private static final Set<String> OF_ALTER =
      Set.of(
          "sqlite_rename_column",
          "sqlite_rename_table",
          "sqlite_rename_test",
          "sqlite_rename_quotefix",
          "sqlite_drop_column",
          "sqlite_add_constraint",
          "sqlite_drop_constraint",
          "sqlite_find_constraint",
          "sqlite_fail");

  private AllowedFunctions() {}

  /** Checks a function that SQLite has found. */
  static void check(String name, SqlStatement.Verb verb) {
    String known = AsciiCase.lower(name);
    boolean isAllowed =
        NAMES.contains(known) || (verb == SqlStatement.Verb.ALTER && OF_ALTER.contains(known));
    if (!isAllowed) {
      throw refused(name);
    }
  }

  /** Checks the name of a function in a text. */
  static void check(String name, boolean isDefinition) {
    String known = AsciiCase.lower(name);
    if (REFUSED.contains(known) || (isDefinition && !NAMES.contains(known))) {
      throw refused(name);
    }
  }

  /** {@return whether the lists contain a function} */
  static boolean isKnown(String name) {
    String known = AsciiCase.lower(name);
    return NAMES.contains(known) || REFUSED.contains(known) || OF_ALTER.contains(known);
  }

  private static SqlRefusedException refused(String name) {
    return SqlRefusedException.error(
        AsciiCase.equal(name, "load_extension")
            ? "not authorized: SQLITE_ERROR. Extensions of SQLite cannot be loaded."
            : "not authorized to use function: " + name + ": SQLITE_ERROR");
  }
}
