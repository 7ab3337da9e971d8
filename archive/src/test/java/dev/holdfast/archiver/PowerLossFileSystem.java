package dev.holdfast.archiver;

import dev.holdfast.faults.PowerLossDisk;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The default file system on a disk that loses power, for code that has paths and no disk. Each
 * change is a step of the disk. Has what an archive in a directory uses; everything else fails.
 */
final class PowerLossFileSystem extends FileSystem {

  private final PowerLossProvider provider;

  /** What meets each list; null for nothing. */
  @Nullable IOException listFault;

  PowerLossFileSystem(PowerLossDisk disk) {
    this.provider = new PowerLossProvider(this, disk);
  }

  /** {@return a path of the default file system as one of this} */
  Path of(Path path) {
    return new LossyPath(this, path);
  }

  /** {@return a path of this as one of the default file system} */
  static Path real(Path path) {
    return path instanceof LossyPath lossy ? lossy.real : path;
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public Path getPath(String first, String... more) {
    return of(Path.of(first, more));
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic");
  }

  @Override
  public void close() {}

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return File.separator;
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    throw new UnsupportedOperationException();
  }

  @Override
  public PathMatcher getPathMatcher(String pattern) {
    throw new UnsupportedOperationException();
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException();
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }

  /** A path. */
  private record LossyPath(PowerLossFileSystem system, Path real) implements Path {

    private @Nullable Path of(@Nullable Path path) {
      return path == null ? null : system.of(path);
    }

    @Override
    public FileSystem getFileSystem() {
      return system;
    }

    @Override
    public boolean isAbsolute() {
      return real.isAbsolute();
    }

    @Override
    public @Nullable Path getRoot() {
      return of(real.getRoot());
    }

    @Override
    public @Nullable Path getFileName() {
      return of(real.getFileName());
    }

    @Override
    public @Nullable Path getParent() {
      return of(real.getParent());
    }

    @Override
    public int getNameCount() {
      return real.getNameCount();
    }

    @Override
    public Path getName(int index) {
      return system.of(real.getName(index));
    }

    @Override
    public Path subpath(int begin, int end) {
      return system.of(real.subpath(begin, end));
    }

    @Override
    public boolean startsWith(Path other) {
      return real.startsWith(PowerLossFileSystem.real(other));
    }

    @Override
    public boolean endsWith(Path other) {
      return real.endsWith(PowerLossFileSystem.real(other));
    }

    @Override
    public Path normalize() {
      return system.of(real.normalize());
    }

    @Override
    public Path resolve(Path other) {
      return system.of(real.resolve(PowerLossFileSystem.real(other)));
    }

    @Override
    public Path relativize(Path other) {
      return system.of(real.relativize(PowerLossFileSystem.real(other)));
    }

    @Override
    public URI toUri() {
      return real.toUri();
    }

    @Override
    public Path toAbsolutePath() {
      return system.of(real.toAbsolutePath());
    }

    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
      return system.of(real.toRealPath(options));
    }

    @Override
    public WatchKey register(
        WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int compareTo(Path other) {
      return real.compareTo(PowerLossFileSystem.real(other));
    }

    @Override
    public String toString() {
      return real.toString();
    }
  }
}
