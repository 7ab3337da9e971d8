package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.AsciiCase;
import dev.holdfast.backend.sqlite.words.HiddenNames;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The forms of statements that define something; only known forms are allowed. */
final class Definitions {

  private static final String MAIN = "main";
  private static final Set<String> VIRTUAL_TABLE_MODULES =
      Set.of("fts5", "fts5vocab", "rtree", "rtree_i32");

  private final List<SqlToken> tokens;
  private final String sql;
  private int at = 1;

  private Definitions(List<SqlToken> tokens, String sql) {
    this.tokens = tokens;
    this.sql = sql;
  }

  /**
   * Checks CREATE, ALTER, DROP, ANALYZE or REINDEX, without EXPLAIN.
   *
   * @throws SqlRefusedException if the form is not known, or not allowed
   */
  static void check(List<SqlToken> tokens, String sql) {
    Definitions definition = new Definitions(tokens, sql);
    switch (AsciiCase.lower(tokens.getFirst().text())) {
      case "create" -> definition.checkCreate();
      case "alter" -> definition.checkAlter();
      case "drop" -> definition.checkDrop();
      default -> definition.checkNameOrNone();
    }
  }

  /** {@return the table that gets an index or a trigger, or is changed; null if there is none} */
  static @Nullable String changedTable(List<SqlToken> tokens) {
    SqlToken verb = tokens.getFirst();
    if (verb.is("ALTER")) {
      return nameAt(tokens, 2);
    }
    boolean isOnTable =
        verb.is("CREATE")
            && tokens.size() > 2
            && (tokens.get(1).is("INDEX")
                || tokens.get(1).is("UNIQUE")
                || tokens.get(1).is("TRIGGER"));
    for (int index = 2; isOnTable && index < tokens.size(); index++) {
      if (tokens.get(index).is("ON")) {
        return nameAt(tokens, index + 1);
      }
    }
    return null;
  }

  private static @Nullable String nameAt(List<SqlToken> tokens, int index) {
    boolean isQualified = index + 2 < tokens.size() && tokens.get(index + 1).isSign('.');
    int at = isQualified ? index + 2 : index;
    return at < tokens.size() ? tokens.get(at).lowerCase() : null;
  }

  private void checkCreate() {
    if (isNext("TEMP") || isNext("TEMPORARY")) {
      throw SqlRefusedException.notAuthorizedBecause(
          "Objects have no temporary tables; create an ordinary one.");
    }
    boolean isVirtual = takes("VIRTUAL");
    if (isVirtual) {
      require("TABLE");
    } else if (takes("UNIQUE")) {
      require("INDEX");
    } else {
      requireKind();
    }
    if (takes("IF")) {
      require("NOT");
      require("EXISTS");
    }
    takeName();
    if (isVirtual) {
      checkModule();
    }
  }

  /** The arguments of a module are a separate language, with tables named in strings. */
  private void checkModule() {
    require("USING");
    SqlToken module = next();
    if (!module.mayBeName() || !VIRTUAL_TABLE_MODULES.contains(module.lowerCase())) {
      throw SqlRefusedException.notAuthorizedBecause(
          "The module "
              + module.written()
              + " is not available; there are "
              + VIRTUAL_TABLE_MODULES
              + ".");
    }
    if (HiddenNames.isWithin(sql)) {
      throw SqlRefusedException.notAuthorized(
          "the definition of a virtual table may not have \"_cf_\" anywhere: it begins the"
              + " reserved names");
    }
  }

  private void checkAlter() {
    require("TABLE");
    takeName();
  }

  private void checkDrop() {
    requireKind();
    if (takes("IF")) {
      require("EXISTS");
    }
    takeName();
  }

  private void checkNameOrNone() {
    if (at < tokens.size()) {
      takeName();
    }
    if (at < tokens.size()) {
      throw SqlRefusedException.unexpected(tokens.get(at).written());
    }
  }

  private void requireKind() {
    if (!takes("TABLE") && !takes("VIEW") && !takes("INDEX") && !takes("TRIGGER")) {
      throw SqlRefusedException.unexpected(next().written());
    }
  }

  /** A name, or a schema name, a dot and a name. */
  private void takeName() {
    SqlToken name = next();
    if (!name.mayBeName()) {
      throw SqlRefusedException.unexpected(name.written());
    }
    if (at < tokens.size() && tokens.get(at).isSign('.')) {
      if (!name.lowerCase().equals(MAIN)) {
        throw SqlRefusedException.notAuthorizedBecause(
            "An object has one database, \"main\"; " + name.written() + " is another one.");
      }
      at++;
      SqlToken qualified = next();
      if (!qualified.mayBeName()) {
        throw SqlRefusedException.unexpected(qualified.written());
      }
    }
  }

  private boolean isNext(String keyword) {
    return at < tokens.size() && tokens.get(at).is(keyword);
  }

  private boolean takes(String keyword) {
    boolean isNext = isNext(keyword);
    if (isNext) {
      at++;
    }
    return isNext;
  }

  private void require(String keyword) {
    SqlToken next = next();
    if (!next.is(keyword)) {
      throw SqlRefusedException.unexpected(next.written());
    }
  }

  private SqlToken next() {
    if (at >= tokens.size()) {
      throw SqlRefusedException.incomplete(sql);
    }
    return tokens.get(at++);
  }
}
