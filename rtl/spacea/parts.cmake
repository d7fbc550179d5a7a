# Of the blocks of SpaceA: blocks that a block is made of, and sizes of csim/spacea/structure.def that it has, as in
# rtl/CMakeLists.txt.
set(spe_PARTS fma64)
set(bgroup_PARTS xcam ldq spe fma64 rowctl)
set(xcam_SIZES SETS WAYS)
set(ldq_SIZES ENTRIES)
set(bgroup_SIZES SETS WAYS ENTRIES)
