package dev.holdfast.backend.sqlite.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.sql.SqliteTokens.First;
import dev.holdfast.backend.sqlite.words.Keywords;
import dev.holdfast.backend.sqlite.words.SqlLexer;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import dev.holdfast.backend.sqlite.words.SqlToken.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lexer splits as SQLite does, or refuses; SQLite itself is the oracle. */
final class SqlLexerTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final long SEED = Long.getLong("holdfast.seed", 20_261_122);
  private static final int SAMPLES = IS_LONG ? 100_000 : 2_000;

  /** Odd characters: those that begin, end or separate a token of some kind. */
  private static final String[] ALPHABET =
      (" |\t|\n|\f|\r|\u000B|\uFEFF|\u00A0|\u0001|\u007F|a|x|e|0|1|_|$|@|:|#|?|(|)|;|.|'|\"|`|["
              + "|]|-|>|/|*|=|!|<|\\|\u00E9|PIPE")
          .replace("|", "\uE000")
          .replace("PIPE", "|")
          .split("\uE000");

  /** The other pieces of random texts. */
  private static final String[] PIECES = {
    "SELECT",
    "PRAGMA",
    "x'0",
    "x'ab'",
    "0x1f",
    "1e5",
    "1_0",
    "--",
    "/*",
    "*/",
    "->>",
    "||",
    "<>",
    "$a(",
    "::",
    "?12",
    "\uD835\uDCB3",
    "it''s",
    "'a",
    "\"b\"",
    "[c]",
    "E",
    "K\u212A",
    "\u017F",
    "&",
    "~",
    "%",
    "+",
    "{",
    "}",
    "^",
    ",",
    "F",
    "\u3000",
    "\u2028"
  };

  private final Set<String> seen = new HashSet<>();
  private SqliteTokens sqlite;

  @BeforeEach
  void open() throws IOException, SqliteException {
    sqlite = new SqliteTokens();
  }

  @AfterEach
  void close() throws IOException, SqliteException {
    sqlite.close();
  }

  @Test
  void shortTextsAreCutAsSqliteCutsThem() throws SqliteException {
    assertThat(ALPHABET).hasSize(40).doesNotHaveDuplicates();
    checkAll("", IS_LONG ? 4 : 3);
    Random random = new Random(SEED);
    for (int sample = 0; sample < SAMPLES; sample++) {
      StringBuilder text = new StringBuilder();
      for (int length = 0; length < 4; length++) {
        text.append(ALPHABET[random.nextInt(ALPHABET.length)]);
      }
      check(text.toString());
    }
  }

  @Test
  void randomTextsAreCutAsSqliteCutsThem() throws SqliteException {
    Random random = new Random(SEED);
    for (int sample = 0; sample < SAMPLES; sample++) {
      StringBuilder text = new StringBuilder();
      int pieces = 2 + random.nextInt(10);
      for (int piece = 0; piece < pieces; piece++) {
        String[] from = random.nextInt(3) == 0 ? PIECES : ALPHABET;
        text.append(from[random.nextInt(from.length)]);
      }
      check(text.toString());
    }
  }

  private void checkAll(String text, int more) throws SqliteException {
    check(text);
    for (int each = 0; more > 0 && each < ALPHABET.length; each++) {
      checkAll(text + ALPHABET[each], more - 1);
    }
  }

  private void check(String text) throws SqliteException {
    List<String> ours = new ArrayList<>();
    String refused = null;
    try {
      for (SqlToken token : SqlLexer.tokens(text)) {
        ours.add(text.substring(token.start(), token.end()));
        checkKind(token, text.substring(token.start(), token.end()));
      }
    } catch (SqlRefusedException e) {
      refused = e.text();
    }
    List<String> theirs = new ArrayList<>();
    String unknown = null;
    int at = 0;
    for (First next = sqlite.first(text); !next.text().isEmpty(); ) {
      if (!next.isToken()) {
        unknown = next.text();
        break;
      }
      theirs.add(next.text());
      at = startOf(text, at, next.text()) + next.text().length();
      next = sqlite.first(text.substring(at));
    }
    if (refused == null) {
      assertThat(ours).as(shown(text)).isEqualTo(theirs);
      assertThat(unknown).as(shown(text)).isNull();
    } else if (unknown == null || !refused.contains('"' + unknown + '"')) {
      assertThat(isRefusedElsewhere(text, refused, theirs))
          .as(shown(text) + " " + refused)
          .isTrue();
    }
  }

  /**
   * Where the next token begins: the last place before which there are only comments and spaces.
   */
  private int startOf(String text, int from, String token) {
    int at = text.lastIndexOf(token);
    while (!sqlite.first(text.substring(from, at)).text().isEmpty()
        || !sqlite.first(text.substring(at)).text().equals(token)) {
      at = text.lastIndexOf(token, at - 1);
    }
    return at;
  }

  /**
   * Texts that SQLite recognises and never accepts, and the two characters that are easily
   * overlooked.
   */
  private boolean isRefusedElsewhere(String text, String refused, List<String> theirs) {
    String token = refused.substring(refused.indexOf('"') + 1, refused.lastIndexOf('"'));
    return token.equals("\u000B")
        || (token.equals("\uFEFF") && text.indexOf('\uFEFF', 1) > 0)
        || (theirs.contains(token) && !sqlite.error("SELECT " + token).isEmpty());
  }

  private void checkKind(SqlToken token, String written) throws SqliteException {
    if (!seen.add(written)) {
      return;
    }
    String select = "SELECT " + written;
    switch (token.kind()) {
      case PARAMETER ->
          assertThat(
                  sqlite.error(select).startsWith("variable number must be")
                      || sqlite.parameters(select) > 0)
              .as(shown(written))
              .isTrue();
      case NUMBER -> assertThat(type(written)).as(shown(written)).isIn("integer", "real");
      case BLOB -> assertThat(type(written)).as(shown(written)).isEqualTo("blob");
      case STRING -> {
        assertThat(type(written)).as(shown(written)).isEqualTo("text");
        assertThat(sqlite.value(select)).as(shown(written)).isEqualTo(token.text());
      }
      case WORD, QUOTED_NAME -> checkName(token, written);
      case SIGN, SEMICOLON -> assertThat(token.text()).isEqualTo(written);
    }
  }

  private void checkName(SqlToken token, String written) throws SqliteException {
    boolean isName = sqlite.error("SELECT 1 AS " + written).isEmpty();
    if (isName) {
      assertThat(sqlite.name("SELECT 1 AS " + written)).isEqualTo(token.text());
    } else {
      assertThat(token.kind()).as(shown(written)).isEqualTo(Kind.WORD);
      assertThat(Keywords.isKeyword(token)).as(shown(written)).isTrue();
    }
  }

  private Object type(String literal) throws SqliteException {
    return sqlite.value("SELECT typeof(" + literal + ")");
  }

  private static String shown(String text) {
    StringBuilder shown = new StringBuilder("seed " + SEED + ": ");
    text.chars()
        .forEach(
            each ->
                shown.append(
                    each > ' ' && each < 127 ? (char) each : String.format("\\u%04X", each)));
    return shown.toString();
  }
}
