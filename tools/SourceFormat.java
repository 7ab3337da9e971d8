import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Formats every Java source of the working copy with google-java-format, or lists those that are
 * not formatted. The build starts it from source: {@code SourceFormat.java check|apply <root>
 * <list>}. The list is a file that exists afterwards only if something is left to do: the build
 * fails on that with one sentence, where a failed program would cost a page of stack trace.
 *
 * <p>A program of our own, because a formatter plugin runs on Maven's JVM, and on 17 the formatter
 * cannot parse the language of 25.
 */
final class SourceFormat {
  private static final Set<String> SKIPPED = Set.of("target", ".git", ".idea");

  /** Of the style, after which texts are wrapped. */
  private static final int COLUMNS_MAX = 100;

  private final Path root;
  private final boolean apply;

  private SourceFormat(Path root, boolean apply) {
    this.root = root;
    this.apply = apply;
  }

  public static void main(String[] args) throws IOException {
    Path list = Path.of(args[2]);
    Files.deleteIfExists(list);
    List<String> leftToDo =
        new SourceFormat(Path.of(args[1]), args[0].equals("apply")).visitSources();
    leftToDo.forEach(System.err::println);
    if (!leftToDo.isEmpty()) {
      Files.createDirectories(list.getParent());
      Files.write(list, leftToDo);
    }
  }

  private List<String> visitSources() throws IOException {
    List<Path> sources = sources();
    if (sources.isEmpty()) {
      throw new IllegalStateException("no Java source under " + root);
    }
    return sources.parallelStream().map(this::visit).flatMap(Optional::stream).toList();
  }

  /** Says what is left to do about one source: nothing, if it is formatted now. */
  private Optional<String> visit(Path source) {
    Path name = root.relativize(source);
    try {
      String before = Files.readString(source);
      String after = formatted(before);
      if (after.equals(before)) {
        return Optional.empty();
      }
      if (!apply) {
        return Optional.of("not formatted: " + name);
      }
      Files.writeString(source, after);
      System.out.println("formatted " + name);
      return Optional.empty();
    } catch (FormatterException | IOException e) {
      return Optional.of("cannot be formatted: " + name + ": " + e.getMessage());
    }
  }

  /**
   * Does what {@code formatSourceAndFixImports} does. Its last step wraps long texts and text
   * blocks, and formats a second time each source with a line of 100 characters; a source without a
   * longer one has nothing to wrap: a third of the processor time.
   */
  private static String formatted(String source) throws FormatterException {
    Formatter formatter = new Formatter();
    if (source.contains("\"\"\"")) {
      return formatter.formatSourceAndFixImports(source);
    }
    String ordered = ImportOrderer.reorderImports(source, JavaFormatterOptions.Style.GOOGLE);
    String formatted = formatter.formatSource(RemoveUnusedImports.removeUnusedImports(ordered));
    boolean isWide = formatted.lines().anyMatch(line -> line.length() > COLUMNS_MAX);
    return isWide ? formatter.formatSourceAndFixImports(source) : formatted;
  }

  private List<Path> sources() throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean skipped = SKIPPED.contains(folder.getFileName().toString());
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.getFileName().toString().endsWith(".java")) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
