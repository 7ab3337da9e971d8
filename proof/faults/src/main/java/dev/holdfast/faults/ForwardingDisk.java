package dev.holdfast.faults;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A disk that forwards every call to another, for tests that observe, delay or skip reads or syncs.
 * As thread-safe as the other disk.
 */
public class ForwardingDisk implements Disk {

  private final Disk disk;

  /**
   * Creates a disk that forwards.
   *
   * @param disk the disk to forward to
   */
  protected ForwardingDisk(Disk disk) {
    this.disk = disk;
  }

  /**
   * Called for {@link DiskFile#force} of every file that was opened here.
   *
   * @param path the path with which the file was opened
   * @param file the file of the other disk
   * @throws IOException if the sync fails
   */
  protected void force(Path path, DiskFile file) throws IOException {
    file.force();
  }

  /**
   * Called for {@link DiskFile#read} of every file that was opened here.
   *
   * @param path the path with which the file was opened
   * @param file the file of the other disk
   * @param target the array for the bytes
   * @param targetOffset first byte of the target
   * @param lengthBytes maximum number of bytes
   * @param offsetBytes offset in the file
   * @return the number of bytes read; zero at the end of the file
   * @throws IOException if they cannot be read
   */
  protected int read(
      Path path, DiskFile file, byte[] target, int targetOffset, int lengthBytes, long offsetBytes)
      throws IOException {
    return file.read(target, targetOffset, lengthBytes, offsetBytes);
  }

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    return new ForwardingFile(file, disk.open(file, mode));
  }

  @Override
  public boolean exists(Path path) {
    return disk.exists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    return disk.list(directory);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    disk.createDirectories(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    disk.delete(file);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    disk.move(from, to);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    disk.forceDirectory(directory);
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return disk.usableBytes(directory);
  }

  @Override
  public long totalBytes(Path directory) throws IOException {
    return disk.totalBytes(directory);
  }

  @Override
  public boolean isWritable(Path directory) {
    return disk.isWritable(directory);
  }

  private final class ForwardingFile implements DiskFile {
    private final Path path;
    private final DiskFile file;

    ForwardingFile(Path path, DiskFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      return ForwardingDisk.this.read(path, file, target, targetOffset, lengthBytes, offsetBytes);
    }

    @Override
    public void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      file.write(source, sourceOffset, lengthBytes, offsetBytes);
    }

    @Override
    public void force() throws IOException {
      ForwardingDisk.this.force(path, file);
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      file.truncate(sizeBytes);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
