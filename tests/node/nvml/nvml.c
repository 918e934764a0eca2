// A libnvidia-ml.so.1 for machines without a GPU, driver or device node: it answers what NVIDIA's device plugin and GPU
// feature discovery ask for, as the library of a driver would on a machine with H100s of 80 GB, whole or cut by MIG
// into partitions of 1g.10gb. Written from NVIDIA's header nvml.h and the calls that those two make; it is neither
// NVIDIA's library nor their mock of it, sets nothing, and lacks every other function.
//
// What the machine has is said when it is built: GPUS, PARTITIONS (of each GPU; 0: whole ones), MACHINE (part of the
// UUIDs).
#include <nvml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kMostPartitions = 7, kMemoryMib = 81559, kPartitionMemoryMib = 9856, kProcessors = 16, kFirstGpuInstance = 7 };
enum { kGpuInstanceProfileId = 19, kComputeInstanceProfileId = 0 };

// A GPU, or a partition of one. Of a partition it stands for the GPU instance and the compute instance as well.
struct nvmlDevice_st {
  unsigned gpu;
  int partition;  // -1: the GPU itself
};

static struct nvmlDevice_st devices[GPUS][1 + kMostPartitions];

static nvmlDevice_t handle(unsigned gpu, int partition) {
  return (nvmlDevice_t){&devices[gpu][1 + partition]};
}

static int is_partition(nvmlDevice_t device) {
  return device.handle->partition >= 0;
}

static const struct nvmlDevice_st* of_gpu_instance(nvmlGpuInstance_t instance) {
  return (const struct nvmlDevice_st*)instance.handle;
}

static const struct nvmlDevice_st* of_compute_instance(nvmlComputeInstance_t instance) {
  return (const struct nvmlDevice_st*)instance.handle;
}

static nvmlReturn_t text(char* out, unsigned length, const char* value) {
  return (unsigned)snprintf(out, length, "%s", value) < length ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

// The driver tells in /proc which device nodes give access to a partition. In a container alone: not on the machine.
static void show_partitions(void) {
  if (PARTITIONS == 0 || !getenv("KUBERNETES_SERVICE_HOST") || !access("/proc/driver/nvidia-caps", F_OK)) return;
  if (mount("tmpfs", "/proc/driver", "tmpfs", 0, NULL) || mkdir("/proc/driver/nvidia-caps", 0755)) return;
  FILE* const minors = fopen("/proc/driver/nvidia-caps/mig-minors", "w");
  if (!minors) return;
  int minor = 0;
  for (unsigned gpu = 0; gpu < GPUS; ++gpu) {
    for (int id = kFirstGpuInstance; id < kFirstGpuInstance + PARTITIONS; ++id) {
      fprintf(minors, "gpu%u/gi%d/access %d\n", gpu, id, ++minor);
      fprintf(minors, "gpu%u/gi%d/ci0/access %d\n", gpu, id, ++minor);
    }
  }
  fclose(minors);
}

nvmlReturn_t nvmlInit_v2(void) {
  for (unsigned gpu = 0; gpu < GPUS; ++gpu)
    for (int partition = -1; partition < kMostPartitions; ++partition)
      *handle(gpu, partition).handle = (struct nvmlDevice_st){gpu, partition};
  show_partitions();
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown(void) {
  return NVML_SUCCESS;
}

const char* nvmlErrorString(nvmlReturn_t result) {
  static _Thread_local char said[32];
  snprintf(said, sizeof said, "NVML error %d", (int)result);
  return said;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length) {
  return text(version, length, "580.65.06");
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  *version = 13000;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  *count = GPUS;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  if (index >= GPUS) return NVML_ERROR_INVALID_ARGUMENT;
  *device = handle(index, -1);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length) {
  char said[64];
  snprintf(said, sizeof said, "%s-%08x-0000-4000-8000-%04x%08x", is_partition(device) ? "MIG" : "GPU", MACHINE,
           device.handle->gpu, 1 + device.handle->partition);
  return text(uuid, length, said);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  for (unsigned gpu = 0; gpu < GPUS; ++gpu) {
    for (int partition = -1; partition < PARTITIONS; ++partition) {
      char said[64];
      *device = handle(gpu, partition);
      if (nvmlDeviceGetUUID(*device, said, sizeof said) == NVML_SUCCESS && !strcmp(said, uuid)) return NVML_SUCCESS;
    }
  }
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned length) {
  (void)device;
  return text(name, length, "NVIDIA H100 80GB HBM3");
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned* minor) {
  *minor = device.handle->gpu;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
  (void)device;
  *major = 9, *minor = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  memory->total = (is_partition(device) ? kPartitionMemoryMib : kMemoryMib) * (1ULL << 20);
  memory->free = memory->total, memory->used = 0;
  return NVML_SUCCESS;
}

// A bus address that no machine has: what is asked of the kernel about the device, such as its NUMA node, is not known.
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  memset(pci, 0, sizeof *pci);
  pci->domain = 0xffff, pci->device = device.handle->gpu, pci->pciDeviceId = 0x233010DE;
  snprintf(pci->busId, sizeof pci->busId, "%08X:00:%02X.0", pci->domain, pci->device);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned* current, unsigned* pending) {
  (void)device;
  *current = *pending = PARTITIONS > 0 ? NVML_DEVICE_MIG_ENABLE : NVML_DEVICE_MIG_DISABLE;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned* count) {
  (void)device;
  *count = kMostPartitions;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t* partition) {
  if ((int)index >= PARTITIONS) return NVML_ERROR_NOT_FOUND;
  *partition = handle(device.handle->gpu, (int)index);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned* answer) {
  *answer = (unsigned)is_partition(device);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t partition, nvmlDevice_t* device) {
  *device = handle(partition.handle->gpu, -1);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t* attributes) {
  if (!is_partition(device)) return NVML_ERROR_INVALID_ARGUMENT;
  *attributes = (nvmlDeviceAttributes_t){.multiprocessorCount = kProcessors,
                                         .sharedCopyEngineCount = 1,
                                         .gpuInstanceSliceCount = 1,
                                         .computeInstanceSliceCount = 1,
                                         .memorySizeMB = kPartitionMemoryMib};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned* id) {
  if (!is_partition(device)) return NVML_ERROR_INVALID_ARGUMENT;
  *id = (unsigned)(kFirstGpuInstance + device.handle->partition);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned* id) {
  *id = 0;
  return is_partition(device) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceById(nvmlDevice_t device, unsigned id, nvmlGpuInstance_t* instance) {
  if (id < kFirstGpuInstance || id >= kFirstGpuInstance + PARTITIONS) return NVML_ERROR_NOT_FOUND;
  instance->handle = (struct nvmlGpuInstance_st*)handle(device.handle->gpu, (int)id - kFirstGpuInstance).handle;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfo(nvmlDevice_t device, unsigned profile,
                                                 nvmlGpuInstanceProfileInfo_t* info) {
  (void)device;
  if (profile != NVML_GPU_INSTANCE_PROFILE_1_SLICE) return NVML_ERROR_NOT_SUPPORTED;
  *info = (nvmlGpuInstanceProfileInfo_t){.id = kGpuInstanceProfileId,
                                         .sliceCount = 1,
                                         .instanceCount = kMostPartitions,
                                         .multiprocessorCount = kProcessors,
                                         .copyEngineCount = 1,
                                         .memorySizeMB = kPartitionMemoryMib};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpuInstanceGetInfo(nvmlGpuInstance_t instance, nvmlGpuInstanceInfo_t* info) {
  const struct nvmlDevice_st* const device = of_gpu_instance(instance);
  *info = (nvmlGpuInstanceInfo_t){.device = handle(device->gpu, -1),
                                  .id = (unsigned)(kFirstGpuInstance + device->partition),
                                  .profileId = kGpuInstanceProfileId,
                                  .placement = {(unsigned)device->partition, 1}};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceById(nvmlGpuInstance_t instance, unsigned id,
                                                   nvmlComputeInstance_t* found) {
  if (id != 0) return NVML_ERROR_NOT_FOUND;
  found->handle = (struct nvmlComputeInstance_st*)instance.handle;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfo(nvmlGpuInstance_t instance, unsigned profile, unsigned engine,
                                                          nvmlComputeInstanceProfileInfo_t* info) {
  (void)instance;
  if (profile != NVML_COMPUTE_INSTANCE_PROFILE_1_SLICE || engine != NVML_COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED)
    return NVML_ERROR_NOT_SUPPORTED;
  *info = (nvmlComputeInstanceProfileInfo_t){
      .id = kComputeInstanceProfileId, .sliceCount = 1, .instanceCount = 1, .multiprocessorCount = kProcessors};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlComputeInstanceGetInfo_v2(nvmlComputeInstance_t instance, nvmlComputeInstanceInfo_t* info) {
  *info = (nvmlComputeInstanceInfo_t){.device = handle(of_compute_instance(instance)->gpu, -1),
                                      .gpuInstance = {(struct nvmlGpuInstance_st*)instance.handle},
                                      .profileId = kComputeInstanceProfileId,
                                      .placement = {0, 1}};
  return NVML_SUCCESS;
}

// No GPU ever fails: whoever waits for an event waits in vain.
nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t* set) {
  set->handle = (struct nvmlEventSet_st*)devices;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  (void)set;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long* types) {
  (void)device;
  *types = nvmlEventTypeXidCriticalError;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set) {
  (void)device, (void)types, (void)set;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t* data, unsigned milliseconds) {
  (void)set, (void)data;
  usleep(milliseconds * 1000);
  return NVML_ERROR_TIMEOUT;
}
