package dev.holdfast.benchmarks.compare.server;

import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The programs of peers that are servers, fetched once: packages of npm by their lock file, and
 * packages of Debian, unpacked and not installed.
 */
public final class PeerFiles {

  private static final List<String> DEBIAN =
      List.of(
          "redis-server",
          "redis-tools",
          "liblzf1",
          "libjemalloc2",
          "postgresql-15",
          "postgresql-client-15",
          "libpq5",
          "etcd-server",
          "strace");

  /** The list of which the unpacked packages are. */
  private static final String UNPACKED = "unpacked.txt";

  private final Path own;
  private final Path fetched;

  /**
   * Creates it; fetches nothing.
   *
   * @param own the folder with this project's files for peers
   * @param fetched where programs are or will be
   */
  public PeerFiles(Path own, Path fetched) {
    this.own = own.toAbsolutePath();
    this.fetched = fetched.toAbsolutePath();
  }

  /** Fetches what comes from npm, if it is not there. */
  public void fetchNpm() throws Exception {
    for (String name : List.of("package.json", "package-lock.json", "restate.mjs")) {
      Files.createDirectories(fetched);
      Files.copy(own.resolve(name), fetched.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
    if (!Files.exists(fetched.resolve("node_modules"))) {
      run(fetched, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts");
    }
  }

  /** Fetches what comes from Debian, if it is not there. */
  public void fetchDebian() throws Exception {
    Path root = fetched.resolve("debian");
    Path packages = Files.createDirectories(fetched.resolve("packages"));
    String wanted = String.join("\n", DEBIAN);
    if (Files.exists(root.resolve(UNPACKED))
        && Files.readString(root.resolve(UNPACKED)).equals(wanted)) {
      return;
    }
    List<String> missing = missing(packages);
    if (!missing.isEmpty()) {
      List<String> download =
          Stream.concat(Stream.of("apt-get", "download"), missing.stream()).toList();
      try {
        run(packages, download.stream());
      } catch (IOException e) {
        run(packages, "apt-get", "update"); // a machine that knows no packages yet
        run(packages, download.stream());
      }
    }
    Path unpacked = fetched.resolve("debian.new");
    try (Stream<Path> all = Files.list(packages)) {
      for (Path each : all.toList()) {
        run(packages, "dpkg", "-x", each.toString(), unpacked.toString());
      }
    }
    Files.writeString(unpacked.resolve(UNPACKED), wanted);
    if (Files.exists(root)) {
      FileTree.delete(new FileDisk(), root); // it lacks a package that was added to the list
    }
    Files.move(unpacked, root);
  }

  private static List<String> missing(Path packages) throws IOException {
    try (Stream<Path> all = Files.list(packages)) {
      List<String> there = all.map(each -> String.valueOf(each.getFileName())).toList();
      return DEBIAN.stream()
          .filter(name -> there.stream().noneMatch(file -> file.startsWith(name + "_")))
          .toList();
    }
  }

  private static void run(Path directory, String... command) throws Exception {
    run(directory, Stream.of(command));
  }

  private static void run(Path directory, Stream<String> command) throws Exception {
    List<String> words = command.toList();
    Process process =
        new ProcessBuilder(words).directory(directory.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      String end = output.substring(Math.max(0, output.length() - 500));
      throw new IOException(String.join(" ", words) + " failed: " + end);
    }
  }

  /** {@return a file of an npm package} */
  Path npm(String file) {
    return existing(fetched.resolve("node_modules").resolve(file));
  }

  /** {@return a file of this project beside the npm packages, which it imports} */
  Path beside(String file) {
    return existing(fetched.resolve(file));
  }

  /** {@return a file of this project} */
  Path own(String file) {
    return existing(own.resolve(file));
  }

  /** {@return a file of a Debian package} */
  public Path debian(String file) {
    return existing(fetched.resolve("debian").resolve(file));
  }

  /** {@return what a program of a Debian package needs to find its libraries} */
  Map<String, String> libraries() {
    return Map.of("LD_LIBRARY_PATH", fetched.resolve("debian/usr/lib/x86_64-linux-gnu").toString());
  }

  private static Path existing(Path file) {
    if (!Files.exists(file)) {
      throw new IllegalStateException("There is no " + file);
    }
    return file;
  }
}
