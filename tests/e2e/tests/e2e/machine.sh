# A disposable machine for a test: a copy of the host with a real systemd.
#
# Arguments: the directory of the test, and that of the tools. Prints the process id of the machine's first process, and
# ends the machine when its standard input ends, so nothing is left however the test ends.
#
# Everything runs in private namespaces (this script in one for mounts). The root is an overlay with its changes in memory;
# only the directory of the test, at /test, is shared with the host.
set -eu
test_dir=$1
tools=$2
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/groups /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root

# A control group for the machine, below ours.
mount -t cgroup2 cgroup /mnt/groups
group=/mnt/groups/e2e-test.$$
mkdir "$group"

cat >/mnt/boot <<'BOOT'
set -eu
root=/mnt/root
mount -t proc proc $root/proc
mount --bind $root/proc/sys $root/proc/sys
mount -o remount,bind,ro $root/proc/sys
mount -t sysfs -o ro sysfs $root/sys
mount -t cgroup2 cgroup $root/sys/fs/cgroup
mount -t tmpfs tmpfs $root/dev
for device in null zero full random urandom tty; do
  touch $root/dev/$device
  mount --bind /dev/$device $root/dev/$device
done
ln -s null $root/dev/console
mkdir $root/dev/pts $root/dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts $root/dev/pts
ln -s pts/ptmx $root/dev/ptmx
for memory in run tmp dev/shm; do mount -t tmpfs tmpfs $root/$memory; done
mkdir $root/test $root/tools
mount --bind "$1" $root/test
mount --bind "$2" $root/tools
mount -o remount,bind,ro $root/tools
# No unit of the host starts by itself.
rm -rf $root/etc/systemd/system $root/etc/systemd/user
mkdir -p $root/etc/systemd/system
: >$root/etc/fstab
: >$root/etc/machine-id
for unit in systemd-udevd systemd-journald systemd-journal-flush systemd-tmpfiles-setup systemd-tmpfiles-setup-dev \
  systemd-update-utmp systemd-sysusers systemd-logind systemd-hwdb-update ldconfig systemd-machine-id-commit \
  systemd-random-seed systemd-binfmt systemd-modules-load systemd-udev-trigger e2scrub_reap; do
  ln -s /dev/null $root/etc/systemd/system/$unit.service
done
for unit in dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
  sys-fs-fuse-connections.mount proc-sys-fs-binfmt_misc.automount systemd-journald.socket systemd-journald-dev-log.socket \
  systemd-udevd-kernel.socket systemd-udevd-control.socket; do
  ln -s /dev/null $root/etc/systemd/system/$unit
done
printf '[Unit]\nWants=dbus.service\nAfter=dbus.service\n' >$root/etc/systemd/system/test.target
cd $root
mkdir -p outside
pivot_root . outside
umount -l /outside
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=test.target --log-target=null
BOOT

(
  echo 0 >"$group/cgroup.procs"
  exec unshare --pid --fork --kill-child --mount --uts --ipc --net --cgroup sh /mnt/boot "$test_dir" "$tools" </dev/null
) >&2 &
outer=$!
inner=
while [ -z "$inner" ] && kill -0 $outer 2>/dev/null; do
  read -r inner _ <"/proc/$outer/task/$outer/children" || true
done
echo "$inner"
cat >/dev/null
kill -KILL $outer 2>/dev/null || true
wait $outer 2>/dev/null || true
# A control group can be removed a moment after its last process has ended.
attempts=0
while [ -d "$group" ] && [ $attempts -lt 100 ]; do
  find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.05
  attempts=$((attempts + 1))
done
