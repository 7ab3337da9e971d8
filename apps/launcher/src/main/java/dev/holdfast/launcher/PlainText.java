package dev.holdfast.launcher;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * What a command prints: text of strangers, such as keys, names and values, must not steer the
 * terminal or hide what is there. Characters that are not shown are printed as <code>&#92;u</code>
 * and four hexadecimal digits, which a string in JSON has, too: controls, those that change the
 * direction, separators of lines and paragraphs, all blanks but the space, other characters without
 * a form, such as fillers, tags and variation selectors, characters that are not assigned, and lone
 * surrogates.
 *
 * <p>As thread-safe as a {@link PrintStream}.
 */
public final class PlainText extends PrintStream {

  private static final HexFormat HEX = HexFormat.of();

  private static final String CLEAR = "\u001b[H\u001b[2J";

  private final PrintStream terminal;

  private PlainText(PrintStream terminal) {
    super(new Filter(terminal), /* autoFlush= */ true, StandardCharsets.UTF_8);
    this.terminal = terminal;
  }

  /**
   * {@return a stream that prints only text}
   *
   * @param stream receives the text
   */
  public static PrintStream on(PrintStream stream) {
    return stream instanceof PlainText ? stream : new PlainText(stream);
  }

  /** {@return whether a part of the text is lost: a stream of this kind does not say so itself} */
  @Override
  public boolean checkError() {
    return super.checkError() || terminal.checkError();
  }

  /** Clears the terminal behind {@link System#out}, if a command runs in one. */
  public static void clearScreen() {
    if (System.out instanceof PlainText text) {
      text.flush();
      text.terminal.print(CLEAR);
    }
  }

  /**
   * {@return a text that is one line, with each character that is not shown in another form}
   *
   * @param text any text
   */
  public static String line(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints().forEach(each -> add(shown, each, /* isBreakable= */ false));
    return shown.toString();
  }

  /**
   * {@return a text that keeps its lines and tabulators, with each other character that is not
   * shown in another form}
   *
   * @param text any text
   */
  public static String lines(CharSequence text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints().forEach(each -> add(shown, each, /* isBreakable= */ true));
    return shown.toString();
  }

  private static void add(StringBuilder shown, int character, boolean isBreakable) {
    if (isShown(character) || (isBreakable && (character == '\n' || character == '\t'))) {
      shown.appendCodePoint(character);
      return;
    }
    for (char each : Character.toChars(character)) {
      shown.append("\\u").append(HEX.toHexDigits(each));
    }
  }

  private static boolean isShown(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      case Character.SPACE_SEPARATOR -> character == ' ';
      default -> !isEmpty(character);
    };
  }

  /** Letters, marks and symbols that have no form, or look like a blank. */
  private static boolean isEmpty(int character) {
    return switch (character) {
      case 0x034F, // joins graphemes
          0x115F, // fillers of Hangul
          0x1160,
          0x3164,
          0xFFA0,
          0x17B4, // vowels of Khmer
          0x17B5,
          0x2800, // a pattern of Braille without dots
          0x16FE4, // a filler of Khitan
          0x1D159 -> // a note without a head
          true;
      default ->
          (character >= 0x180B && character <= 0x180F) // variation selectors
              || (character >= 0xFE00 && character <= 0xFE0F)
              || (character >= 0xE0100 && character <= 0xE01EF);
    };
  }

  /** Decodes what the stream encodes, and prints it with the characters that are shown. */
  private static final class Filter extends OutputStream {

    private static final int CHARS = 1 << 12;

    private final PrintStream terminal;
    private final CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);

    /** The beginning of a character whose rest comes later. */
    private ByteBuffer rest = ByteBuffer.allocate(0);

    /** Of the end of a line on Windows; else it would go back to the begin of the line. */
    private boolean hasReturn;

    Filter(PrintStream terminal) {
      this.terminal = terminal;
    }

    @Override
    public void write(int value) {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      ByteBuffer input = ByteBuffer.allocate(rest.remaining() + length);
      input.put(rest).put(bytes, offset, length).flip();
      CharBuffer output = CharBuffer.allocate(CHARS);
      StringBuilder text = new StringBuilder();
      while (decoder.decode(input, output, /* endOfInput= */ false).isOverflow()) {
        text.append(output.flip());
        output.clear();
      }
      text.append(output.flip());
      rest = input;
      print(text);
    }

    private void print(StringBuilder text) {
      StringBuilder shown = new StringBuilder(text.length());
      text.codePoints()
          .forEach(
              each -> {
                if (hasReturn && each == '\n') {
                  shown.append('\r');
                } else if (hasReturn) {
                  add(shown, '\r', /* isBreakable= */ true);
                }
                hasReturn = each == '\r';
                if (!hasReturn) {
                  add(shown, each, /* isBreakable= */ true);
                }
              });
      terminal.print(shown);
    }

    @Override
    public void flush() {
      terminal.flush();
    }
  }
}
