package dev.holdfast.archiver;

import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What {@code java.nio.file.Files} asks of a {@link PowerLossFileSystem}. */
final class PowerLossProvider extends FileSystemProvider {

  private final PowerLossFileSystem system;
  private final PowerLossDisk disk;

  PowerLossProvider(PowerLossFileSystem system, PowerLossDisk disk) {
    this.system = system;
    this.disk = disk;
  }

  private static Path real(Path path) {
    return PowerLossFileSystem.real(path);
  }

  // ---------------------------------------------------------------- changes, each a step

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    if (options.contains(StandardOpenOption.CREATE_NEW)) {
      if (Files.exists(real(path))) {
        throw new FileAlreadyExistsException(path.toString());
      }
      return new LossyChannel(disk.open(real(path), Mode.CREATE));
    }
    disk.open(real(path), Mode.READ).close(); // fails without power
    return Files.newByteChannel(real(path), options);
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return new LossyChannel(
        Files.isDirectory(real(path))
            ? new Directory(disk, real(path))
            : disk.open(real(path), Mode.WRITE));
  }

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    Path real = real(directory);
    if (Files.exists(real)) {
      throw new FileAlreadyExistsException(directory.toString());
    }
    if (!Files.isDirectory(real.getParent())) {
      throw new NoSuchFileException(directory.toString());
    }
    disk.createDirectories(real);
  }

  @Override
  public void createLink(Path link, Path existing) throws IOException {
    disk.link(real(existing), real(link));
  }

  @Override
  public void delete(Path path) throws IOException {
    if (!Files.exists(real(path))) {
      throw new NoSuchFileException(path.toString());
    }
    disk.delete(real(path));
  }

  // ---------------------------------------------------------------- reads

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
    if (!Files.isDirectory(real(directory))) {
      throw new NoSuchFileException(directory.toString());
    }
    List<Path> found = disk.list(real(directory)).stream().map(system::of).toList();
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        if (system.listFault != null) {
          throw new DirectoryIteratorException(system.listFault);
        }
        return found.iterator();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    real(path).getFileSystem().provider().checkAccess(real(path), modes);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    return Files.readAttributes(real(path), type, options);
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
      throws IOException {
    return Files.readAttributes(real(path), attributes, options);
  }

  @Override
  public boolean isSameFile(Path one, Path other) throws IOException {
    return Files.isSameFile(real(one), real(other));
  }

  @Override
  public boolean isHidden(Path path) {
    return false;
  }

  // ---------------------------------------------------------------- channels

  /** A directory as something to sync. */
  private record Directory(PowerLossDisk disk, Path path) implements DiskFile {

    @Override
    public void force() throws IOException {
      disk.forceDirectory(path);
    }

    @Override
    public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long size() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void truncate(long sizeBytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  /** Writes from the start on, and syncs. */
  private static final class LossyChannel extends FileChannel {

    private final DiskFile file;
    private long position;

    LossyChannel(DiskFile file) {
      this.file = file;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
      byte[] bytes = new byte[source.remaining()];
      source.get(bytes);
      file.write(bytes, 0, bytes.length, position);
      position += bytes.length;
      return bytes.length;
    }

    @Override
    public void force(boolean metaData) throws IOException {
      file.force();
    }

    @Override
    protected void implCloseChannel() throws IOException {
      file.close();
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public FileChannel position(long newPosition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel truncate(long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(ByteBuffer target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(ByteBuffer target, long offset) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source, long offset) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long offset, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long offset, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long offset, long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long offset, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long offset, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }
  }

  // ---------------------------------------------------------------- nobody asks

  @Override
  public String getScheme() {
    return "power-loss";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return system;
  }

  @Override
  public Path getPath(URI uri) {
    return system.of(Path.of(uri));
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileStore getFileStore(Path path) {
    throw new UnsupportedOperationException();
  }

  @Override
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return null;
  }

  @Override
  public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
    throw new UnsupportedOperationException();
  }
}
