package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.program.Instruction;
import dev.holdfast.backend.sqlite.program.Program;
import dev.holdfast.backend.sqlite.words.HiddenNames;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The second of two guards: checks the program that SQLite compiles from a statement. However a
 * table is named, through whichever view, trigger or foreign key, the program opens it by its root
 * page.
 */
final class ProgramGuard {

  private static final int MAIN = 0;
  private static final int TEMPORARY = 1;

  /** The number of ON CONFLICT ROLLBACK in a program. */
  private static final int ROLLBACK = 1;

  /** The root page is in a register: the statement creates the table or index. */
  private static final int ROOT_IN_REGISTER = 0x10;

  private static final int JOURNAL_MODE_QUERY = -1;

  /** The root page of the schema table. */
  private static final int SCHEMA_ROOT = 1;

  /** The letter in the plan of FTS5 that stands for a rank. */
  private static final char RANK = 'r';

  /**
   * Instructions that load one register, their second operand, and continue with the next
   * instruction.
   */
  private static final Set<String> LOADS =
      Set.of("String8", "Integer", "Int64", "Real", "Variable");

  private final Schema schema;
  private final SqlStatement.Verb verb;

  private ProgramGuard(Schema schema, SqlStatement.Verb verb) {
    this.schema = schema;
    this.verb = verb;
  }

  /**
   * Checks a program.
   *
   * @throws SqlRefusedException if it may not be run
   */
  static void check(Program program, Schema schema, SqlStatement.Verb verb) {
    ProgramGuard guard = new ProgramGuard(schema, verb);
    guard.check(program.main());
    guard.check(program.triggers());
  }

  /**
   * Checks that an index, a trigger or a change does not concern a table that belongs to a virtual
   * table: the module runs statements on it that no program shows.
   *
   * @throws SqlRefusedException if it does
   */
  static void checkChanged(@Nullable String table, Schema schema) {
    if (table != null && schema.isShadow(table)) {
      throw SqlRefusedException.error("table " + table + " may not be modified: SQLITE_ERROR");
    }
  }

  static SqlRefusedException endsTransaction() {
    return SqlRefusedException.notAuthorized(
        "ROLLBACK would end the transaction of the turn; use ABORT");
  }

  private void check(List<Instruction> program) {
    for (int index = 0; index < program.size(); index++) {
      Instruction each = program.get(index);
      check(each);
      if (each.opcode().equals("VFilter")) {
        checkRank(each, program, index);
      }
    }
  }

  private void check(Instruction each) {
    switch (each.opcode()) {
      case "OpenRead", "ReopenIdx" -> checkOpen(each, false);
      case "OpenWrite" -> checkOpen(each, true);
      case "Clear" -> checkRoot(each.p1(), each.p2(), true);
      case "Destroy" -> checkDestroyed(each.p1(), each.p3());
      case "CreateBtree" -> checkDatabase(each.p1(), true);
      case "Transaction" -> checkDatabase(each.p1(), each.p2() != 0);
      case "Function", "PureFunc", "AggStep", "AggStep1", "AggInverse", "AggValue", "AggFinal" ->
          checkFunction(each.p4(), each);
      case "Halt", "HaltIfNull" -> {
        if (each.p1() != 0 && each.p2() == ROLLBACK) {
          throw endsTransaction();
        }
      }
      case "VOpen", "VUpdate", "VCreate", "VDestroy", "VRename" -> checkVirtual();
      // SQLite puts a query of the mode after the end of a program that only might write, such as
      // CREATE TABLE IF NOT EXISTS of an existing table.
      case "JournalMode" -> {
        if (each.p3() != JOURNAL_MODE_QUERY) {
          throw SqlRefusedException.notAuthorizedBecause(
              "The journal of an object's database is the runtime's; it stays as it is.");
        }
      }
      case "SqlExec" -> checkNested(each);
      case "AutoCommit", "Savepoint", "Vacuum", "Checkpoint", "IncrVacuum", "MaxPgcnt" ->
          throw SqlRefusedException.notAuthorizedBecause(
              "The runtime makes the transactions and the file of an object; see"
                  + " ObjectStorage.transaction().");
      default -> {}
    }
  }

  /** A new table with generated columns is read once, to find circular references. */
  private void checkNested(Instruction each) {
    String read = "SELECT*FROM\"main\".\"";
    String nested = String.valueOf(each.p4());
    boolean isNewTable =
        verb == SqlStatement.Verb.SCHEMA
            && nested.startsWith(read)
            && nested.length() > read.length()
            && nested.endsWith("\"")
            && !HiddenNames.isHidden(nested.substring(read.length()))
            && isOneName(nested.substring(read.length(), nested.length() - 1));
    if (!isNewTable) {
      throw SqlRefusedException.notAuthorizedBecause(
          "The statement runs another one, which cannot be checked.");
    }
  }

  /** Whether each quote in it is doubled, so that none ends the name. */
  private static boolean isOneName(String quoted) {
    return quoted.replace("\"\"", "").indexOf('"') < 0;
  }

  private void checkOpen(Instruction each, boolean writes) {
    if ((each.p5() & ROOT_IN_REGISTER) != 0) {
      checkDatabase(each.p3(), writes);
    } else {
      checkRoot(each.p2(), each.p3(), writes);
    }
  }

  private void checkDestroyed(int page, int database) {
    String shadow = schema.shadowAt(page);
    if (database == MAIN && shadow != null && verb == SqlStatement.Verb.SCHEMA) {
      throw SqlRefusedException.error("table " + shadow + " may not be dropped: SQLITE_ERROR");
    }
    checkRoot(page, database, true);
  }

  private void checkRoot(int page, int database, boolean writes) {
    checkDatabase(database, writes);
    if (database != MAIN || verb == SqlStatement.Verb.REINDEX) {
      // REINDEX without a name covers all tables: each index gets back its content, and no row is
      // shown.
      return;
    }
    if (writes && page == SCHEMA_ROOT && verb == SqlStatement.Verb.ROWS) {
      throw SqlRefusedException.error("table sqlite_master may not be modified: SQLITE_ERROR");
    }
    String hidden = schema.hiddenAt(page);
    if (hidden != null) {
      throw SqlRefusedException.notAuthorized("access to " + hidden + " is prohibited");
    }
    String shadow = writes ? schema.shadowAt(page) : null;
    if (shadow != null) {
      throw SqlRefusedException.error("table " + shadow + " may not be modified: SQLITE_ERROR");
    }
  }

  /** ALTER TABLE searches for temporary views and triggers of the table; none exist. */
  private void checkDatabase(int database, boolean writes) {
    boolean isAllowed =
        database == MAIN || (database == TEMPORARY && (!writes || verb == SqlStatement.Verb.ALTER));
    if (!isAllowed) {
      throw SqlRefusedException.notAuthorizedBecause(
          "A statement writes into the object's own database only.");
    }
  }

  private void checkFunction(@Nullable String p4, Instruction each) {
    if (p4 != null) {
      AllowedFunctions.check(each.function(), verb);
    }
  }

  /** A virtual table compiles its own statements, which no program shows. */
  private void checkVirtual() {
    if (schema.mentionsHidden()) {
      throw SqlRefusedException.notAuthorized(
          "virtual tables are not available while a view, trigger or table names a hidden table");
    }
  }

  /**
   * The arguments of a virtual table are loaded right before the query: the number of its plan, the
   * number of arguments, and the arguments, in the order of the letters of its plan.
   */
  private static void checkRank(Instruction filter, List<Instruction> program, int index) {
    String plan = filter.p4() == null ? "" : filter.p4();
    int argument = 0;
    for (int at = 0; at < plan.length(); at++) {
      char letter = plan.charAt(at);
      if (letter == RANK && !isLiteralRank(program, index, filter.p3() + 2 + argument)) {
        throw RankRules.refused();
      }
      // Some letters are followed by a column number.
      if (letter < '0' || letter > '9') {
        argument++;
      }
    }
  }

  /** {@return whether a full text table is given a rank, even an allowed one} */
  static boolean ranks(Program program) {
    return Stream.concat(program.main().stream(), program.triggers().stream())
        .anyMatch(
            each ->
                each.opcode().equals("VFilter")
                    && each.p4() != null
                    && each.p4().indexOf(RANK) >= 0);
  }

  private static boolean isLiteralRank(List<Instruction> program, int filter, int register) {
    for (int index = filter - 1; index >= 0; index--) {
      Instruction each = program.get(index);
      if (!LOADS.contains(each.opcode())) {
        return false;
      }
      if (each.p2() == register) {
        return each.opcode().equals("String8") && RankRules.isAllowed(String.valueOf(each.p4()));
      }
    }
    return false;
  }
}
